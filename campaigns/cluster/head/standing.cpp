#include "campaigns/cluster/head/standing.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/ranking/rates.hpp"
#include "analysis/statistics/statistics.hpp"
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

using ByRound = std::map<std::uint64_t, const store::Measurement*>;

// Of one arm. The rate stands in the work of 1 ns: samples are whole nanoseconds, and short ones would lose digits.
specs::Inspection mean_of(const ByRound& rounds) {
  const store::Measurement& last = *rounds.rbegin()->second;
  specs::Inspection mean;
  mean.arm = last.arm;
  mean.sentinel = last.sentinel;
  mean.outcome = last.outcome;
  std::vector<double> log_rates;
  for (const auto& [round, one] : rounds) {
    const auto log_rate = analysis::log_rate(*one);
    if (!log_rate) continue;
    log_rates.push_back(*log_rate);
    mean.work = one->work;
  }
  if (log_rates.empty()) return mean;
  mean.outcome = specs::Outcome::ok;
  mean.samples_ns = {1};
  const double known = analysis::rate_of(mean.samples_ns, mean.work, analysis::unit_of(mean.work));
  const double scale = std::exp(analysis::mean(log_rates)) / known;
  for (double* amount : {&mean.work.flop, &mean.work.bytes, &mean.work.items}) *amount *= scale;
  return mean;
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
    block.useful += rounds > 0;
    standing.rounds += rounds;
    standing.inspections += row.done;
    standing.failed += row.failed;
  }
  return all;
}

void join(Joined& joined, const specs::Plan& start, const std::vector<store::Measurement>& measured) {
  const auto complete = complete_rounds_of(measured, start);
  if (complete.empty()) return;
  std::map<std::string, ByRound> arms;
  for (const auto& one : measured)
    if (complete.contains(one.round)) arms[one.arm][one.round] = &one;
  for (const auto& [arm, rounds] : arms) {
    joined.inspections.push_back(mean_of(rounds));
    joined.inspections.back().round = joined.blocks;
  }
  ++joined.blocks;
}

Joined joined_blocks(const specs::ClusterCampaign& campaign, const std::string& target, const store::Store& store) {
  auto rows = store.blocks(campaign.id);
  std::erase_if(rows, [&](const auto& row) { return row.target != target || row.done == 0; });
  std::ranges::sort(rows, {}, [](const auto& row) { return std::tie(row.block, row.created, row.campaign); });
  Joined joined;
  for (const auto& row : rows) join(joined, *store.plan(row.campaign), measurements_of(store, row.campaign));
  return joined;
}

}  // namespace stackx::campaigns::cluster
