// Ranks stacks by measured performance (DESIGN: the unit is the inspection, one fresh process gives one value).
//
// Per stack: the median over its inspections of the median rate of each, an order-statistic CI for that
// median, the CV between inspections. Against the best: the median of paired log ratios over shared rounds (same
// campaign, same device), its sign-test CI Holm-corrected over the family, and a verdict. Stacks that cannot be
// told apart from the leader of their group share a rank: a tie is shown as a tie.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "store/store.hpp"

namespace stackx::analysis {

enum class Verdict { faster, slower, equivalent, unresolved };
enum class Objective { rate, stability, balanced };

struct Interval {
  double low = 0, high = 0;
  double coverage = 0;  // what it attains, e.g. 0.969 of order statistics with n = 6; 0 if n is too small for one
};

struct Comparison {
  Verdict verdict = Verdict::unresolved;
  double ratio = 1;                // median of the paired ratios, this stack / the other
  std::optional<Interval> interval;  // corrected; absent while it would be unbounded
  std::size_t pairs = 0;
  std::optional<std::size_t> further_rounds;  // estimate, for unresolved
};

struct Recommendation {
  std::size_t rank = 0;  // ties share one
  specs::Stack stack;
  double median = 0;     // of the unit below
  std::optional<Interval> ci;
  std::optional<double> cv;  // between inspections; absent with n < 2
  std::size_t inspections = 0;
  std::vector<std::pair<std::string, std::size_t>> failures;  // outcome -> how often
  std::string evidence;                // "measured", "measured-elsewhere"
  std::vector<std::string> sources;    // campaign ids
  std::optional<Comparison> versus_best;  // absent for the best itself
};

struct Ranking {
  std::string hw;
  specs::Workload workload;
  std::string unit;  // "GFLOP/s", "GB/s", "items/s"
  double delta = 0.01;
  std::vector<Recommendation> recommendations;
  std::vector<Recommendation> failed;  // stacks with no inspection that ranks
  std::vector<std::string> notes;      // other workloads measured, sentinels' false positives, ...
};

struct Options {
  Objective objective = Objective::rate;
  double delta = 0.01;
  double confidence = 0.95;
  std::string this_host;  // fingerprint: measurements of other hosts are measured-elsewhere
};

Ranking rank(const std::vector<store::Measurement>& measurements, const specs::Workload& workload,
             const Options& options);

nlohmann::json to_json(const Ranking& ranking);  // as DESIGN section 7 fixes `advise --json`
std::string table(const Ranking& ranking, std::size_t rows, bool colour);

}  // namespace stackx::analysis
