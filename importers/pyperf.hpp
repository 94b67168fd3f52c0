// pyperf's JSON (version 1.0): suites of benchmarks, each with the runs of worker processes.
//
// One result a benchmark. A run is one process; its values are seconds (or bytes) of one iteration,
// already divided by loops. `values` are the runs' medians, because values of one process are not
// independent of one another, `value` their median; pyperf's own number, the mean of all values, is
// a detail. Runs without values calibrated; warmups are left out. Metadata are inherited: suite,
// benchmark, run. unit "second" is elapsed_ms, "byte" peak_memory_bytes, others are remarked.
#pragma once

#include "importers/importer.hpp"

namespace stackx::importers {

bool matches_pyperf(const specs::Node& document);
Imported read_pyperf(const specs::Node& document, const Origin& origin);

}  // namespace stackx::importers
