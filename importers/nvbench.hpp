// nvbench --json: benchmarks, their states (one combination of axis values on one device) and each
// state's summaries, tagged values of which some are hidden in its own tables.
//
// One result a state in elapsed_ms: the mean GPU time of isolated ("cold") runs, else of batches, else
// CPU time of CPU-only benchmarks; stdev from the stated noise, runs from the sample size. Global
// memory bandwidth gives one in bytes_per_s, an item rate one in items_per_s besides. Numbers are texts
// there ("0.00100347", "inf"). States that were skipped are remarked with their reason.
#pragma once

#include "importers/importer.hpp"

namespace stackx::importers {

bool matches_nvbench(const specs::Node& document);
Imported read_nvbench(const specs::Node& document, const Origin& origin);

}  // namespace stackx::importers
