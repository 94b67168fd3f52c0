#include "campaigns/cluster/head/standing.hpp"

#include <algorithm>

#include "campaigns/cluster/rounds.hpp"

namespace stackx::campaigns::cluster {
namespace {

std::vector<store::Measurement> measurements_of(const store::Store& store, const std::string& campaign) {
  store::Filter filter;
  filter.campaign = campaign;
  filter.whose = store::all_results;
  return store.measurements(filter);
}

std::set<std::uint64_t> complete_rounds_of(const std::vector<store::Measurement>& measured, const specs::Plan& plan) {
  std::vector<Result> results;
  results.reserve(measured.size());
  for (const auto& one : measured) results.push_back({one.round, one.arm, one.outcome});
  return complete_rounds(plan, results);
}

// Nothing is read of a start whose inspections are all there, and only where they stand of one of which none failed.
std::uint64_t rounds_of(const store::BlockRow& row, const store::Store& store) {
  if (row.done >= row.planned) return row.rounds;
  if (row.done == 0) return 0;
  if (row.failed == 0) {
    std::vector<Result> results;
    for (const auto& [round, arm] : store.done(row.campaign)) results.push_back({round, arm, specs::Outcome::ok});
    return complete_rounds(*store.plan(row.campaign), results).size();
  }
  return complete_rounds_of(measurements_of(store, row.campaign), *store.plan(row.campaign)).size();
}

}  // namespace

bool Standing::is_done(std::uint64_t block, std::uint64_t rounds_per_block) const {
  const auto found = blocks.find(block);
  return found != blocks.end() && found->second.rounds >= rounds_per_block;
}

std::map<std::string, Standing> standing(const specs::ClusterCampaign& campaign, const store::Store& store) {
  std::map<std::string, Standing> all;
  for (const auto& target : campaign.targets) all[target.target.name];
  for (const auto& row : store.blocks(campaign.id)) {
    Standing& standing = all[row.target];
    BlockStanding& block = standing.blocks[row.block];
    const auto rounds = rounds_of(row, store);
    block.rounds += rounds;
    block.inspections += row.done;
    block.failed += row.failed;
    ++block.starts;
    standing.rounds += rounds;
    standing.inspections += row.done;
    standing.failed += row.failed;
  }
  return all;
}

Joined joined_rounds(const specs::ClusterCampaign& campaign, const std::string& target, const store::Store& store) {
  auto rows = store.blocks(campaign.id);
  std::erase_if(rows, [&](const auto& row) { return row.target != target; });
  std::ranges::sort(rows, {}, [](const auto& row) { return std::tie(row.block, row.created, row.campaign); });
  Joined joined;
  for (const auto& row : rows) {
    if (row.done == 0) continue;
    const auto measured = measurements_of(store, row.campaign);
    const auto complete = complete_rounds_of(measured, *store.plan(row.campaign));
    std::map<std::uint64_t, std::uint64_t> number;
    for (const auto round : complete) number[round] = joined.rounds++;
    for (const auto& one : measured) {
      const auto found = number.find(one.round);
      if (found == number.end()) continue;
      specs::Inspection inspection;
      inspection.arm = one.arm;
      inspection.sentinel = one.sentinel;
      inspection.round = found->second;
      inspection.outcome = one.outcome;
      inspection.samples_ns = one.samples_ns;
      inspection.work = one.work;
      joined.inspections.push_back(std::move(inspection));
    }
  }
  return joined;
}

}  // namespace stackx::campaigns::cluster
