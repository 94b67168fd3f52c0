// Said before a campaign starts: whether its rounds can end in a verdict at all, exactly, by the test that ranks
// (analysis/statistics/comparison.hpp). A verdict that takes 8 rounds cannot be had in 6, whatever they measure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "specs/project/plan.hpp"

namespace stackx::campaigns {

struct VerdictForecast {
  std::size_t stacks = 0;    // compared with each other: those of one workload
  std::uint64_t rounds = 0;  // that a pair of them can share: of a race its finals, within the budget of inspections
  std::uint64_t needed = 0;  // the fewest in which any verdict can fall
  bool possible() const { return rounds >= needed; }
};

// Nothing where a campaign compares nothing: one stack, or the strategy "learn".
std::optional<VerdictForecast> verdict_forecast(const specs::Plan& plan);

// "6 rounds cannot give a verdict on 7 stacks at 95%, whatever they measure; 8 can (--rounds 8)"; empty for nothing.
std::string verdict_line(const specs::Plan& plan);

}  // namespace stackx::campaigns
