#include "analysis/ranking/finals.hpp"

#include <algorithm>

#include "analysis/ranking/race.hpp"

namespace stackx::analysis {

RaceEnds race_ends(const std::vector<const store::Measurement*>& measurements,
                   const std::map<std::string, specs::CampaignSpec>& races) {
  RaceEnds ends;
  std::set<std::string> finalists;
  for (const auto& [campaign, spec] : races) {
    std::map<std::string, std::map<std::uint64_t, double>> arms;
    std::map<std::string, const specs::Stack*> stacks;
    std::uint64_t rounds = 0;
    for (const auto* m : measurements) {
      if (m->campaign != campaign || m->sentinel) continue;
      rounds = std::max(rounds, m->round + 1);
      stacks[m->arm] = &m->stack;
      auto& arm = arms[m->arm];
      if (const auto rate = log_rate(*m)) arm[m->round] = *rate;
    }
    Table table;
    std::vector<std::string> ids;
    for (const auto& [label, rates] : arms) {
      ids.push_back(stacks.at(label)->id());
      auto& row = table.emplace_back(rounds);
      for (const auto& [round, rate] : rates) row[round] = rate;
    }
    const auto found = race(table, spec.strategy, spec.rounds);
    if (found.finals) ends.finals[campaign] = *found.finals;
    for (const auto& one : found.eliminations)
      if (!one.failed) ends.left.insert(ids[one.arm]);
    for (const auto arm : found.finalists) finalists.insert(ids[arm]);
  }
  for (const auto& id : finalists) ends.left.erase(id);
  return ends;
}

Finals first_fresh_rounds(const std::vector<const store::Measurement*>& measurements,
                          const std::map<std::string, specs::CampaignSpec>& races) {
  return race_ends(measurements, races).finals;
}

}  // namespace stackx::analysis
