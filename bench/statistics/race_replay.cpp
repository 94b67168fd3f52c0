#include "race_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/ranking/race.hpp"
#include "analysis/statistics/comparison.hpp"
#include "analysis/statistics/statistics.hpp"

namespace stackx::bench {
namespace {

using analysis::Table;

// Column `round` of the table grows by what ran.
void append(Table& table, const std::vector<std::optional<double>>& values) {
  for (std::size_t arm = 0; arm < table.size(); ++arm) table[arm].push_back(values[arm]);
}

std::vector<double> values(const Table& table, std::size_t arm) {
  std::vector<double> result;
  for (std::uint64_t r = 0; r < table[arm].size(); ++r)
    if (table[arm][r]) result.push_back(*table[arm][r]);
  return result;
}

std::size_t highest_median(const Table& table, const std::vector<std::size_t>& arms) {
  return *std::ranges::max_element(arms, {}, [&](std::size_t arm) {
    const auto found = values(table, arm);
    return found.empty() ? -1e300 : analysis::median(found);
  });
}

// Whether every other arm is SLOWER than `leader`, as a ranking would say.
bool all_slower(const Table& table, const std::vector<std::size_t>& arms, std::size_t leader) {
  std::vector<std::vector<double>> family;
  for (const std::size_t arm : arms) {
    if (arm == leader) continue;
    family.emplace_back();
    for (std::uint64_t r = 0; r < table[arm].size(); ++r)
      if (table[arm][r] && table[leader][r])
        family.back().push_back(*table[arm][r] - *table[leader][r]);
  }
  const auto comparisons = analysis::compare(family, 0, 0.95);
  return std::ranges::all_of(comparisons, [](const auto& comparison) {
    return comparison.verdict == analysis::Verdict::slower;
  });
}

std::vector<std::size_t> everybody(std::size_t arms) {
  std::vector<std::size_t> result(arms);
  std::iota(result.begin(), result.end(), std::size_t{0});
  return result;
}

bool succeeds(const Table& table, const std::set<std::size_t>& best, FixedRule rule) {
  const auto arms = everybody(table.size());
  const std::size_t leader = highest_median(table, arms);
  if (!best.contains(leader)) return false;
  if (rule == FixedRule::highest_median) return true;
  std::vector<std::size_t> others{leader};  // ties among the best are none of its business
  for (const std::size_t arm : arms)
    if (!best.contains(arm)) others.push_back(arm);
  return all_slower(table, others, leader);
}

}  // namespace

RaceRun run_race(Measured& measured, const specs::StrategySpec& strategy,
                 std::uint64_t most_rounds) {
  Table table(measured.arms());
  RaceRun result;
  for (;;) {
    const analysis::Race race = analysis::race(table, strategy, most_rounds);
    if (race.running.empty()) {
      result.rounds = race.finals.value_or(table.front().size());
      result.finalists = race.finalists;
      const auto places = analysis::finals(table, race, 0, 0.95);
      result.winner = places.front().arm;
      result.verdict = std::ranges::all_of(places, [](const auto& place) {
        return !place.versus_first || place.versus_first->verdict == analysis::Verdict::faster;
      });
      return result;
    }
    append(table, measured.round(table.front().size(), race.running));
    result.inspections += race.running.size();
  }
}

void RaceSummary::add(const RaceRun& run, const std::set<std::size_t>& best) {
  ++trials;
  found += best.contains(run.winner);
  kept += std::ranges::any_of(run.finalists, [&](std::size_t arm) { return best.contains(arm); });
  verdicts += run.verdict && best.contains(run.winner);
  inspections.push_back(static_cast<double>(run.inspections));
  rounds.push_back(static_cast<double>(run.rounds));
}

double RaceSummary::mean_inspections() const { return analysis::mean(inspections); }

std::uint64_t RaceSummary::rounds_quantile(double p) const {
  return static_cast<std::uint64_t>(analysis::quantile(rounds, p) + 0.5);
}

std::string RaceSummary::row(const std::string& name) const {
  return fmt::format("| {} | {} | {:.1f}% | {:.1f}% | {:.0f} ({:.0f}, {:.0f}) | {:.1f}% |", name,
                     trials, 100.0 * found / trials, 100.0 * (trials - kept) / trials,
                     mean_inspections(), analysis::quantile(inspections, 0.05),
                     analysis::quantile(inspections, 0.95), 100.0 * verdicts / trials);
}

FixedDesign cheapest_fixed(const Source& source, const std::set<std::size_t>& best, FixedRule rule,
                           int trials, double wanted, std::uint64_t most_rounds) {
  FixedDesign result;
  result.rule = rule;
  result.most = most_rounds;
  std::vector<std::unique_ptr<Measured>> sources;
  std::vector<Table> tables;
  for (int trial = 0; trial < trials; ++trial) {
    sources.push_back(source(trial));
    tables.emplace_back(sources.back()->arms());
  }
  const auto all = everybody(tables.front().size());
  for (std::uint64_t round = 0; round < most_rounds; ++round) {
    int successes = 0;
    for (int trial = 0; trial < trials; ++trial) {
      auto& table = tables[static_cast<std::size_t>(trial)];
      append(table, sources[static_cast<std::size_t>(trial)]->round(round, all));
      successes += succeeds(table, best, rule);
    }
    result.successes = static_cast<double>(successes) / trials;
    if (result.successes < wanted) continue;
    result.rounds = round + 1;
    result.inspections = (round + 1) * all.size();
    break;
  }
  return result;
}

std::string FixedDesign::row(double race_inspections) const {
  const char* name = rule == FixedRule::verdict
                         ? "the verdict singles out the best (`--strategy fixed`)"
                         : "highest median, no claim";
  if (!rounds) return fmt::format("| {} | > {} | | {:.1f}% | |", name, most, 100 * successes);
  return fmt::format("| {} | {} | {} | {:.1f}% | {:.3f} |", name, *rounds, inspections,
                     100 * successes, race_inspections / static_cast<double>(inspections));
}

}  // namespace stackx::bench
