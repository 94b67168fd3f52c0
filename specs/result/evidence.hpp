// Evidence that comes with stackx (format stackx/evidence/1): tables of published results, compact
// enough to be read by people and to be kept in a repository.
//
//   { "$schema": "stackx/evidence/1",
//     "source": [ { "url", "title"?, "revision"?, "date"?, "read", "license"? } ],
//     "notes":  [ "what was left out, what to beware of" ],
//     "tables": [ { "source": 0, "hardware": "NVIDIA V100", "pi": "matmul", "metric": "elapsed_ms",
//                   "params": { "dtype": "float32" }, "stack": { "cuda": "9.0.103" },
//                   "columns": [ "params.m", "params.n", "params.k", "value" ],
//                   "rows": [ [1760, 16, 1760, 0.045] ] } ] }
//
// A table's own members hold for all its rows; a column is a member of stackx/published/1 that
// differs from row to row: hardware, devices, statistic, value, runs, min, max, stdev, values, and
// params.KEY, stack.KEY, details.KEY. null is "not stated". Every row becomes one sealed Published;
// its source's tool is "evidence:" and the file's name without ".json", so that a store can tell
// what an older edition of the file said. Rejected: one object a row, five times the size for the
// same facts; CSV, which knows no types and no shared members.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "specs/result/published.hpp"

namespace stackx::specs {

struct Evidence {
  std::vector<Source> sources;
  std::vector<std::string> notes;
  std::vector<Published> rows;
};

// Errors name file, table, row and column. A row that stands twice is refused.
Evidence parse_evidence(const Node& node);
Evidence load_evidence(const std::filesystem::path& file);

// The rows alone, in portions of some hundred as they are read: who uses them need not wait
// for the last. An error may come after the first portions.
void visit_evidence(const Node& node, const std::function<void(std::vector<Published>&&)>& visit);

}  // namespace stackx::specs
