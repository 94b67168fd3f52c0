// What is claimed in the end, judged on rounds that were run for it alone: whatever the search did before, and however often
// it looked, does not matter here.
//
// A claim is the effect of what turns one stack into another: paired differences of logs, one a round. Differences fall by
// the sign test and Holm's procedure over all claims; intervals hold together (Bonferroni), so that "no effect shown, at
// most 2%" may stand beside any of them. Looks: the k-th is at error/2^k, and all looks of an answer together stay below its
// error. Rejected: Bayesian bisection (its error is that of a model of the noise), fixed rounds (a loud machine needs more).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "blame/search/rounds.hpp"
#include "specs/result/order_statistics.hpp"

namespace stackx::blame {

struct Claim {
  Subset without, with;
};

struct Effect {
  double log = 0;                            // median of the paired differences
  std::optional<specs::Interval> interval;   // of log, with all others'; absent while unbounded
  std::size_t rounds = 0;
  bool shown = false;                        // a difference beyond delta

  bool is_within(double limit) const { return interval && interval->low >= -limit && interval->high <= limit; }
};

// On the rounds from `first` on.
std::vector<Effect> judge(const Rounds& rounds, std::size_t first, const std::vector<Claim>& claims, double delta, double alpha);

// In fewer rounds none of so many claims can be shown.
std::size_t fewest_rounds(std::size_t claims, double alpha);

}  // namespace stackx::blame
