#include "campaigns/cluster/head/waves.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include "campaigns/adaptive_schedule.hpp"
#include "campaigns/run.hpp"

namespace stackx::campaigns::cluster {
namespace {

constexpr const char* unit = "block";
constexpr std::uint64_t fewest_blocks = 2, fewest_final_blocks = 6;  // that a race looks at; that can give a verdict

// The plan with a block for a round.
specs::Plan in_blocks(specs::Plan plan, const specs::ClusterSettings& settings) {
  const auto holding = [&](std::uint64_t rounds) { return (rounds + settings.rounds_per_block - 1) / settings.rounds_per_block; };
  auto& campaign = plan.campaign;
  campaign.rounds = std::max(holding(campaign.rounds), std::min(campaign.rounds, fewest_blocks));
  campaign.strategy.final_rounds = std::max(holding(campaign.strategy.final_rounds), fewest_final_blocks);
  return plan;
}

// An arm that was precise enough at a look within a wave ran on to its end, where there is no look, mostly; it has what it needs.
void settle(const specs::Plan& plan, const std::vector<std::size_t>& running, std::set<std::size_t>& settled) {
  for (std::size_t place = 0; place < plan.arms.size(); ++place)
    if (std::ranges::find(running, place) == running.end()) settled.insert(place);
}

}  // namespace

NextWave next_wave(const specs::FrozenTarget& target, const specs::ClusterSettings& settings, std::uint64_t wave,
                   const Joined& measured) {
  using Kind = specs::StrategySpec::Kind;
  NextWave next;
  if (wave == 0) {
    for (const auto& arm : target.plan.arms) next.arms.push_back(arm.label);
    return next;
  }
  if (target.plan.campaign.strategy.kind == Kind::fixed) return next;
  const auto plan = in_blocks(target.plan, settings);
  const auto schedule = make_schedule(plan, unit);
  for (const auto& inspection : measured.inspections) schedule->add(inspection);
  const bool settles = plan.campaign.strategy.kind == Kind::precision;
  std::set<std::size_t> settled;
  std::vector<std::size_t> places;
  for (std::uint64_t block = 0; block <= measured.blocks; ++block) {  // remarks come with the block they are about
    places = schedule->arms(block);
    for (auto& line : schedule->remarks()) next.remarks.push_back(std::move(line));
    if (places.empty()) break;
    if (settles) settle(plan, places, settled);
  }
  std::erase_if(places, [&](std::size_t place) { return settled.contains(place); });
  for (const auto place : places) next.arms.push_back(target.plan.arms.at(place).label);
  return next;
}

std::vector<std::string> final_words(const specs::FrozenTarget& target, const specs::ClusterSettings& settings,
                                     const Joined& measured) {
  return final_lines(in_blocks(target.plan, settings), measured.inspections, verdict_delta, unit);
}

}  // namespace stackx::campaigns::cluster
