// Racing: arms leave a campaign once they are shown to be behind, so that its budget goes to those
// that may be best (successive elimination, Even-Dar, Mannor & Mansour 2006; racing, Maron & Moore
// 1994). Looking after every round costs nothing, because the bound holds at all times together.
//
// The bound. All that still race run in every round, so arm and leader pair. An arm leaves at a look
// (after each round from the second on) when its mean paired log ratio is further behind than Student's
// t allows at a_look = share(look) error / (arms - 1): the best takes part in arms - 1 pairs, and the
// shares of all looks sum to 1. So it holds at all times together, and with probability 1 - error the
// best is among the finalists. What it assumes: the noise of log rates is normal, with a scale that
// arms share. That scale is pooled over all arms from the steps between successive rounds (neither
// the arms' levels nor drift enter); an arm whose own pairs spread more is judged by those.
// Guard against single wild inspections, which that assumption does not know: an arm leaves only if
// it is behind by half as much in its lower-median pair, too. bench/statistics measures the error
// where the assumption fails.
//
// Finalists. The race picked them from the rounds it saw, so their lead is partly luck: they run
// `final_rounds` fresh rounds, and only those decide the verdict between them. The finals begin when
// no more than `finalists` are left (if a look left fewer, the last to leave come back), with
// whoever is left when the rounds run out, or as soon as none of those left can be expected to leave
// before they do, even if its lead is two standard errors larger than it looks: ties need not run on
// for that. Ending early keeps the promise: nobody leaves by it.
//
// Rejected: Robbins' normal mixture and other boundaries for sub-Gaussian sums (exact where this is
// Bonferroni, but their tail bounds cost a fifth more inspections on 64 arms); sequential halving (needs the budget in advance and states no error), betting on signs
// (assumes nothing, but no arm can leave a field of 64 before round 14), stopping on significance.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/statistics/comparison.hpp"
#include "analysis/statistics/median_polish.hpp"
#include "specs/project/campaign.hpp"

namespace stackx::analysis {

struct Elimination {
  std::size_t arm = 0, leader = 0;
  std::uint64_t round = 0;  // the last it ran in
  double behind = 0;        // mean paired log ratio, leader / arm
  double bound = 0;         // what that had to exceed
  bool failed = false;      // it left because it gave no rate twice
};

struct Race {
  std::vector<std::size_t> running;       // arms of the next round; empty: the race is over
  std::vector<Elimination> eliminations;  // in the order they left
  std::optional<std::uint64_t> finals;    // the first fresh round, once there is one
  std::vector<std::size_t> finalists;
};

// `log_rates`: [arm][round], complete rounds in order, absent where an arm did not run or failed.
// After `most_rounds` the finals begin whoever is left. A pure function of what was measured, so a
// resumed campaign races on as if nothing had happened. An arm that failed twice leaves.
Race race(const Table& log_rates, const specs::StrategySpec& strategy, std::uint64_t most_rounds);

// The finalists by the median of their fresh rounds, each against the first: one family of comparisons.
// Empty before the finals.
struct Finalist {
  std::size_t arm = 0;
  double log_rate = 0;  // median of the fresh rounds
  std::size_t rounds = 0;
  std::optional<Comparison> versus_first;  // first / this one; absent for the first
};
std::vector<Finalist> finals(const Table& log_rates, const Race& race, double delta,
                             double confidence);

}  // namespace stackx::analysis
