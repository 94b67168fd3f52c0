#include "campaigns/verdict_forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/statistics/comparison.hpp"
#include "analysis/text/words.hpp"

namespace stackx::campaigns {
namespace {

constexpr double forecast_confidence = 0.95;  // as rankings have it

}  // namespace

std::optional<VerdictForecast> verdict_forecast(const specs::Plan& plan) {
  using Kind = specs::StrategySpec::Kind;
  const auto& campaign = plan.campaign;
  std::set<specs::Stack> stacks;
  for (const auto& arm : plan.arms)
    if (!arm.sentinel) stacks.insert(arm.stack);
  if (stacks.size() < 2 || campaign.strategy.kind == Kind::learn) return std::nullopt;
  VerdictForecast result{stacks.size(), campaign.rounds,
                         analysis::fewest_rounds(stacks.size() - 1, forecast_confidence)};
  if (campaign.strategy.kind == Kind::race) {
    result.rounds = campaign.strategy.final_rounds;
  } else if (campaign.budget_inspections) {
    // One more than the whole rounds: the next, begun, may hold both of a pair.
    const auto begun = (*campaign.budget_inspections + plan.arms.size() - 1) / plan.arms.size();
    result.rounds = std::min<std::uint64_t>(result.rounds, begun);
  }
  return result;
}

std::string verdict_line(const specs::Plan& plan) {
  const auto forecast = verdict_forecast(plan);
  if (!forecast) return "";
  const bool race = plan.campaign.strategy.kind == specs::StrategySpec::Kind::race;
  const auto rounds =
      race ? fmt::format("{} fresh rounds", forecast->rounds) : analysis::counted(forecast->rounds, "round");
  const auto level = fmt::format("{} stacks at {:g}%", forecast->stacks, 100 * forecast_confidence);
  if (forecast->possible())
    return fmt::format("{} can give a verdict on {} ({} {} the fewest that can)", rounds, level, forecast->needed,
                       forecast->needed == 1 ? "is" : "are");
  std::string how = race ? fmt::format("/campaign/strategy/final_rounds: {}", forecast->needed)
                         : fmt::format("--rounds {}", forecast->needed);
  if (!race && plan.campaign.rounds >= forecast->needed)  // the budget ends it sooner
    how = fmt::format("--budget {}", forecast->needed * plan.arms.size());
  return fmt::format("{} cannot give a verdict on {}, whatever they measure; {} can ({})", rounds, level,
                     forecast->needed, how);
}

}  // namespace stackx::campaigns
