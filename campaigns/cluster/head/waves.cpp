#include "campaigns/cluster/head/waves.hpp"

#include <memory>

#include "campaigns/adaptive_schedule.hpp"
#include "campaigns/run.hpp"

namespace stackx::campaigns::cluster {

NextWave next_wave(const specs::FrozenTarget& target, std::uint64_t wave, const Joined& measured) {
  using Kind = specs::StrategySpec::Kind;
  NextWave next;
  if (wave == 0) {
    for (const auto& arm : target.plan.arms) next.arms.push_back(arm.label);
    return next;
  }
  if (target.plan.campaign.strategy.kind == Kind::fixed) return next;
  const auto schedule = make_schedule(target.plan);
  for (const auto& inspection : measured.inspections) schedule->add(inspection);
  std::vector<std::size_t> places;
  for (std::uint64_t round = 0; round <= measured.rounds; ++round) {  // remarks come with the round they are about
    places = schedule->arms(round);
    for (auto& line : schedule->remarks()) next.remarks.push_back(std::move(line));
    if (places.empty()) break;
  }
  for (const auto place : places) next.arms.push_back(target.plan.arms.at(place).label);
  return next;
}

std::vector<std::string> final_words(const specs::FrozenTarget& target, const Joined& measured) {
  return final_lines(target.plan, measured.inspections, verdict_delta);
}

}  // namespace stackx::campaigns::cluster
