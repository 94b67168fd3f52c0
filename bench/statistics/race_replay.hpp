// Runs a race over a source of measurements, and finds what a fixed design needs for the same answer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "specs/project/campaign.hpp"

namespace stackx::bench {

// Something that can be asked to run arms in a round: a simulation, or a campaign that was recorded.
class Measured {
 public:
  virtual ~Measured() = default;
  virtual std::size_t arms() const = 0;
  // Log rates by arm; absent for those that did not run or failed.
  virtual std::vector<std::optional<double>> round(std::uint64_t round,
                                                   const std::vector<std::size_t>& running) = 0;
};

struct RaceRun {
  std::size_t winner = 0;  // highest median over the fresh rounds
  bool verdict = false;    // FASTER than every other finalist, on fresh rounds, delta 0
  std::uint64_t inspections = 0, rounds = 0;  // rounds before the finals
  std::vector<std::size_t> finalists;
};
RaceRun run_race(Measured& measured, const specs::StrategySpec& strategy,
                 std::uint64_t most_rounds);

struct RaceSummary {
  int trials = 0, found = 0, kept = 0, verdicts = 0;
  std::vector<double> inspections, rounds;

  void add(const RaceRun& run, const std::set<std::size_t>& best);
  double mean_inspections() const;
  std::uint64_t rounds_quantile(double p) const;
  std::string row(const std::string& name) const;  // of the Markdown table
};

// When a fixed design has answered.
//   verdict         the leader is one of the best and all others are SLOWER than it (delta 0, 5%, Holm)
//   highest_median  the arm with the highest median is one of the best; nothing is claimed about it
enum class FixedRule { verdict, highest_median };

struct FixedDesign {
  FixedRule rule = FixedRule::verdict;
  std::optional<std::uint64_t> rounds;  // the fewest that succeed in `wanted` of the trials
  std::uint64_t inspections = 0, most = 0;
  double successes = 0;
  std::string row(double race_inspections) const;
};
using Source = std::function<std::unique_ptr<Measured>(int trial)>;
FixedDesign cheapest_fixed(const Source& source, const std::set<std::size_t>& best, FixedRule rule,
                           int trials, double wanted, std::uint64_t most_rounds);

}  // namespace stackx::bench
