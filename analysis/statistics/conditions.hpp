// What the conditions of each inspection did to its rate: the steal time during the run, and the
// load average when it began.
//
// Taken out first within a campaign, of the log rate and of the condition alike (least squares;
// wild log rates are drawn in to 4 scaled MAD of median polish while levels are fitted, never
// dropped):
//   the arm's level   stacks differ in speed, and slow stacks run longer and collect more steal
//   the round's shift the machine drifts over the campaign, and steal and load with it; a machine
//                     that is slower in the evening, when there is steal too, does not show that
//                     steal costs anything
// What is left is within a round: did the inspection that was hit lose against the others of its
// round and against itself in other rounds? Theil-Sen's slope of the one residual on the other
// (analysis/statistics/theil_sen.hpp) is the answer, its interval widened for the arms and rounds fitted;
// slope and levels are fitted in turns. Rejected: levels by medians, which leave the condition
// (mostly 0) as it is while the hit rounds' rates are levelled; the interval then covered 79 to 90%
// of the time. The price: an effect that lasts longer than a round is drift (analysis/statistics/drift.hpp),
// not seen here; the load average, over a minute, is smooth and shows little within a short round.
// Steal comes in ticks (inspector/machine/processor_time.hpp), which draws the slope of short runs towards
// 0. With one arm, nothing can be told from drift: no slope. Paired verdicts need none of this; it
// tells whether a quieter machine would pay.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/statistics/theil_sen.hpp"
#include "store/store.hpp"

namespace stackx::analysis {

struct Condition {  // of one inspection that gave a rate
  std::string campaign, arm;
  std::uint64_t round = 0;
  double log_rate = 0;
  std::optional<double> steal;  // share of time, 0 to 1
  double load = 0;              // average over one minute
};

// Of those of the measurements that belong to a campaign and gave a rate.
std::vector<Condition> conditions_of(const std::vector<const store::Measurement*>& measurements);

struct Conditions {
  std::size_t inspections = 0;  // looked at
  std::size_t with_steal = 0;   // of them, those whose system told
  std::size_t stolen = 0;       // of these, those with more than 1%
  double most_steal = 0;
  double least_load = 0, most_load = 0;
  std::size_t arms = 0, rounds = 0;  // in the slopes; of over 1,000 inspections a seeded choice
  std::optional<Slope> steal;  // of the log rate, per whole share; absent where steal never varied
  std::optional<Slope> load;   // per 1 of load
};

Conditions study(const std::vector<Condition>& inspections, double confidence,
                 std::uint64_t seed = 1);

// "steal: +1 percentage point -0.9% rate [-1.1%, -0.6%] (n=480 ...)". Empty without inspections.
std::vector<std::string> lines(const Conditions& conditions);

}  // namespace stackx::analysis
