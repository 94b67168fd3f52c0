// airspeed velocity (asv): result files (version 1 and 2) and trees of them.
//
//   results/MACHINE/COMMIT-ENV.json   {"commit_hash", "params": {"cpu", ...}, "python", "requirements",
//                                      "result_columns" (version 2), "results": {BENCHMARK: ...}}
//   results/benchmarks.json           types, units and names of parameters, where it is there
// One result a combination of parameters: time benchmarks in elapsed_ms, peakmem in
// peak_memory_bytes, others (track_*, mem_*) where their unit is seconds; else remarked. A value is
// asv's median; with samples, those are the values. null (failed) and NaN (skipped) are remarked.
// The measured commit and the environment are details; python and pinned requirements the stack.
#pragma once

#include "importers/importer.hpp"

namespace stackx::importers {

bool matches_asv(const specs::Node& document);
Imported read_asv(const specs::Node& document, const Origin& origin);
bool matches_asv_tree(const Tree& tree);
Imported read_asv_tree(const Tree& tree, const Origin& origin);

}  // namespace stackx::importers
