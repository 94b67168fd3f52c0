// Project Thoth's inspections: single result documents, and trees as Amun stores them.
//
//   [.../]build/specification            what was asked: stack, base image, script (specs/thoth/amun.hpp)
//   [.../]results/N/{result,hwinfo,log}  what each of the runs gave
// A tree gives one result an inspection and CPU model, in elapsed_ms; `values` are the runs. What the
// documents do, and how it is read:
//   - 2020 files have "datetime" in place of "start_datetime" and "end_datetime";
//   - "stdout" may be {} (nothing measured: remarked), a text that holds JSON, or an object;
//   - documentation says "framework", data say "component";
//   - "elapsed" is in ms, in import and hello_world in s;
//   - "mini_batch" may be missing (1): elapsed is then that of one call; else it is divided by it;
//   - the rate of TensorFlow's matmul was computed of n^3 + (n-1) n^2 mini_batch operations for
//     mini_batch products: it is kept (rate_stated_gflops) beside the one of 2 n^3 mini_batch
//     (rate_gflops);
//   - May to July 2019 elapsed was the sum of all repetitions: such runs are remarked, not kept.
#pragma once

#include "importers/importer.hpp"

namespace stackx::importers {

bool matches_thoth(const specs::Node& document);
Imported read_thoth(const specs::Node& document, const Origin& origin);
bool matches_thoth_tree(const Tree& tree);
Imported read_thoth_tree(const Tree& tree, const Origin& origin);

}  // namespace stackx::importers
