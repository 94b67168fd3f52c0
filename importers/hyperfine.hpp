// hyperfine --export-json: {"results": [{"command", "mean", "stddev", "median", "user", "system", "min",
// "max", "times": [...], "exit_codes": [...], "parameters": {...}}]}, times in seconds.
//
// One result a command in elapsed_ms: the median of its times (hyperfine's own number, the mean, is
// a detail); without times the stated median or mean. A command of which a run failed (an exit code
// other than 0, or a signal: null) is remarked, not kept: how fast something fails is no result.
#pragma once

#include "importers/importer.hpp"

namespace stackx::importers {

bool matches_hyperfine(const specs::Node& document);
Imported read_hyperfine(const specs::Node& document, const Origin& origin);

}  // namespace stackx::importers
