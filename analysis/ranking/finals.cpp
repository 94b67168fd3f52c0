#include "analysis/ranking/finals.hpp"

#include <algorithm>

#include "analysis/ranking/race.hpp"

namespace stackx::analysis {

Finals first_fresh_rounds(const std::vector<const store::Measurement*>& measurements,
                          const std::map<std::string, specs::CampaignSpec>& races) {
  Finals finals;
  for (const auto& [campaign, spec] : races) {
    std::map<std::string, std::map<std::uint64_t, double>> arms;
    std::uint64_t rounds = 0;
    for (const auto* m : measurements) {
      if (m->campaign != campaign || m->sentinel) continue;
      rounds = std::max(rounds, m->round + 1);
      auto& arm = arms[m->arm];
      if (const auto rate = log_rate(*m)) arm[m->round] = *rate;
    }
    Table table;
    for (const auto& [label, rates] : arms) {
      auto& row = table.emplace_back(rounds);
      for (const auto& [round, rate] : rates) row[round] = rate;
    }
    if (const auto found = race(table, spec.strategy, spec.rounds).finals)
      finals[campaign] = *found;
  }
  return finals;
}

}  // namespace stackx::analysis
