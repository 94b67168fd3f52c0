// Published results of two sources side by side, benchmark by benchmark: two submissions to MLPerf,
// or one and a reader's own (`stackx compare --source`).
//
// The difference is (second - first) / first of the numbers as published: of minutes, negative
// means that the second needed less time. A number of one run, or a mean whose runs nobody
// published, has no confidence interval and gets none. Where both sources give their runs, the
// interval of the ratio is that of the exact rank-sum test (analysis/statistics/rank_sum.hpp), if there are enough runs
// for one; it is of runs as they were, on one machine each, so it says nothing about other
// machines. Rejected: intervals from a standard deviation and a normal distribution (times to train
// are skewed: every fifth run or so takes an epoch more).
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/statistics/rank_sum.hpp"
#include "analysis/text/table.hpp"
#include "specs/result/published.hpp"

namespace stackx::analysis {

struct SourceSide {
  std::string text;  // as it was named
  std::vector<specs::Published> results;
};

struct SourcePair {
  specs::Published first, second;
  double difference = 0;               // (second - first) / first
  std::optional<Shift> ratio;          // second / first over runs, exponentiated; both have runs
  std::optional<bool> ranges_overlap;  // of the runs; absent unless both ranges are known
  std::map<std::string, std::pair<std::string, std::string>> differs;  // component -> first, second
  std::vector<std::string> cautions;  // other devices, hardware or parameters
};

struct SourceComparison {
  SourceSide first, second;
  std::vector<SourcePair> pairs;   // by workload
  std::vector<std::string> notes;  // what only one has, what is ambiguous
};

// A benchmark is a PI and a metric; parameters that both state must agree. Where a source has
// several results of one, none is taken, and a note says which there are.
SourceComparison compare_sources(SourceSide first, SourceSide second);

// What can be said of the pair's numbers, one sentence.
std::string verdict_text(const SourcePair& pair);

nlohmann::json to_json(const SourceComparison& comparison);
std::string table(const SourceComparison& comparison, bool colour, std::size_t width = page_width);

}  // namespace stackx::analysis
