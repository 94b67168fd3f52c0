#include "recorded.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/ranking/ranking.hpp"
#include "analysis/statistics/comparison.hpp"
#include "analysis/statistics/drift.hpp"
#include "analysis/statistics/median_polish.hpp"
#include "peer_rules.hpp"
#include "race_replay.hpp"
#include "specs/random.hpp"

namespace stackx::bench {
namespace {

using analysis::Table;
using analysis::Verdict;

constexpr double confidence = 0.95;

std::vector<store::Measurement> measurements(const Recorded& recorded) {
  store::Filter filter;
  if (!recorded.campaign.empty()) filter.campaign = recorded.campaign;
  return store::Store::open(recorded.db, store::Mode::read_only).measurements(filter);
}

// By round: log of the median rate, and the times of the samples.
struct Arm {
  std::map<std::uint64_t, double> log_rates;
  std::map<std::uint64_t, std::vector<double>> samples;
};

std::map<std::string, Arm> arms(const std::vector<store::Measurement>& measurements) {
  std::map<std::string, Arm> result;
  for (const auto& m : measurements) {
    const auto rate = analysis::log_rate(m);
    if (!rate) continue;
    Arm& arm = result[m.arm];
    arm.log_rates[m.round] = *rate;
    arm.samples[m.round].assign(m.samples_ns.begin(), m.samples_ns.end());
  }
  return result;
}

struct Tests {
  int pairs = 0, sign = 0, delta = 0, welch = 0, pyperf = 0, asv = 0;
  std::vector<double> distances;  // |log ratio| of the medians of pairs
};

bool different(const std::vector<double>& logs, double delta) {
  const Verdict verdict = analysis::compare({logs}, delta, confidence).front().verdict;
  return verdict == Verdict::faster || verdict == Verdict::slower;
}

void test_block(const Arm& a, const Arm& b, std::uint64_t from, std::uint64_t rounds,
                Tests& tests) {
  std::vector<double> logs, times_a, times_b;
  for (std::uint64_t round = from; round < from + rounds; ++round) {
    const auto of_a = a.log_rates.find(round), of_b = b.log_rates.find(round);
    if (of_a == a.log_rates.end() || of_b == b.log_rates.end()) continue;
    logs.push_back(of_a->second - of_b->second);
    const auto& more_a = a.samples.at(round);
    const auto& more_b = b.samples.at(round);
    times_a.insert(times_a.end(), more_a.begin(), more_a.end());
    times_b.insert(times_b.end(), more_b.begin(), more_b.end());
  }
  if (logs.size() < analysis::least_values(confidence)) return;
  ++tests.pairs;
  tests.sign += different(logs, 0);
  tests.delta += different(logs, 0.01);
  tests.welch += welch_differs(times_a, times_b);
  tests.pyperf += pyperf_differs(times_a, times_b);
  tests.asv += asv_differs(times_a, times_b);
  tests.distances.push_back(std::abs(analysis::median(logs)));
}

// The arms' rates, rounds in an order of chance: each trial is another campaign of the same machine.
class Replay : public Measured {
 public:
  Replay(const Table& table, std::uint64_t seed) : table_(table) {
    for (std::size_t round = 0; round < table.front().size(); ++round) order_.push_back(round);
    specs::Random random(seed);
    random.shuffle(order_);
  }
  std::size_t arms() const override { return table_.size(); }
  std::vector<std::optional<double>> round(std::uint64_t round,
                                           const std::vector<std::size_t>& running) override {
    std::vector<std::optional<double>> result(table_.size());
    for (const std::size_t arm : running) result[arm] = table_[arm][order_[round]];
    return result;
  }

 private:
  const Table& table_;
  std::vector<std::size_t> order_;
};

// What the whole campaign knows of the best, as `stackx advise` would say it.
struct Truth {
  std::set<specs::Stack>
      first_rank;  // ties with the best, and nothing of the group slower than another
  std::set<specs::Stack> not_slower;  // all that is not shown to be slower than the best
};

Truth truth_of(const std::vector<store::Measurement>& measurements) {
  analysis::Options options;
  options.this_host = measurements.front().host;
  const auto ranking = analysis::rank(measurements, measurements.front().workload, options);
  Truth truth;
  for (const auto& row : ranking.recommendations) {
    if (row.rank == 1) truth.first_rank.insert(row.stack);
    if (!row.versus_best || row.versus_best->verdict != Verdict::slower)
      truth.not_slower.insert(row.stack);
  }
  return truth;
}

}  // namespace

void recorded_sentinels(const Recorded& recorded) {
  const auto all = measurements(recorded);
  const auto by_label = arms(all);
  Tests tests;
  std::uint64_t rounds = 0;
  for (const auto& m : all) rounds = std::max(rounds, m.round + 1);
  for (const auto& [label, arm] : by_label) {
    const auto plus = label.rfind('+');
    const auto original =
        plus == std::string::npos ? by_label.end() : by_label.find(label.substr(0, plus));
    if (original == by_label.end()) continue;
    for (std::uint64_t from = 0; from + recorded.block <= rounds; from += recorded.block)
      test_block(arm, original->second, from, recorded.block, tests);
  }
  const auto row = [&](const char* name, int called) {
    fmt::print("| {} | {} of {} | {:.1f}% |\n", name, called, tests.pairs,
               100.0 * called / tests.pairs);
  };
  fmt::print("| rule | called different | share |\n|---|---|---|\n");
  row("stackx, delta 0", tests.sign);
  row("stackx, delta 1% (the default)", tests.delta);
  row("Welch, samples pooled", tests.welch);
  row("pyperf", tests.pyperf);
  row("asv", tests.asv);
  fmt::print(
      "\n{} A/A pairs of {} rounds each; the pairs' median differences: half below {:.2f}%, 95% "
      "below {:.2f}%\n",
      tests.pairs, recorded.block, 100 * analysis::median(tests.distances),
      100 * analysis::quantile(tests.distances, 0.95));
  std::vector<const store::Measurement*> pointers;
  for (const auto& m : all) pointers.push_back(&m);
  const auto drifts = analysis::drift(analysis::collect(pointers, all.front().host), confidence);
  for (const auto& drift : drifts)
    fmt::print(
        "drift: shifts of rounds spread by {:.2f}%, noise within a round {:.2f}% (scaled MAD, n = "
        "{} rounds)\n",
        100 * drift.spread, 100 * drift.noise, drift.rounds.size());
  for (const auto& line : analysis::lines(drifts, confidence)) fmt::print("{}\n", line);
}

void recorded_race(const Recorded& recorded) {
  auto all = measurements(recorded);
  std::erase_if(all, [](const auto& m) { return m.sentinel; });
  const Truth truth = truth_of(all);
  std::map<std::string, specs::Stack> stacks;
  std::uint64_t rounds = 0;
  for (const auto& m : all) {
    stacks[m.arm] = m.stack;
    rounds = std::max(rounds, m.round + 1);
  }
  Table table;
  std::set<std::size_t> first_rank, not_slower;
  for (const auto& [label, arm] : arms(all)) {
    if (truth.first_rank.contains(stacks[label])) first_rank.insert(table.size());
    if (truth.not_slower.contains(stacks[label])) not_slower.insert(table.size());
    table.emplace_back(rounds);
    for (const auto& [round, rate] : arm.log_rates) table.back()[round] = rate;
  }
  const specs::StrategySpec strategy{.kind = specs::StrategySpec::Kind::race};
  RaceSummary in_first_rank, in_not_slower;
  const auto source = [&](int trial) {
    return std::make_unique<Replay>(
        table, specs::derive_seed(recorded.seed, "replay", static_cast<std::uint64_t>(trial)));
  };
  for (int trial = 0; trial < recorded.trials; ++trial) {
    const RaceRun run = run_race(*source(trial), strategy, rounds - strategy.final_rounds);
    in_first_rank.add(run, first_rank);
    in_not_slower.add(run, not_slower);
  }
  fmt::print(
      "{} arms, {} rounds recorded; {} arms share the first rank of the whole campaign, {} are not "
      "shown to be slower than its best\n\n",
      table.size(), rounds, first_rank.size(), not_slower.size());
  fmt::print(
      "| the best is | n | best found | best lost in the race | inspections (5%, 95%) | verdict "
      "FASTER in the finals |\n|---|---|---|---|---|---|\n{}\n{}\n",
      in_not_slower.row("not slower than the campaign's best"),
      in_first_rank.row("of the campaign's first rank"));
  fmt::print(
      "\n| fixed rounds | rounds | inspections | successes | race / it |\n|---|---|---|---|---|\n");
  for (const FixedRule rule : {FixedRule::verdict, FixedRule::highest_median})
    fmt::print("{}\n", cheapest_fixed(source, not_slower, rule, recorded.trials, 0.95, rounds)
                           .row(in_not_slower.mean_inspections()));
}

}  // namespace stackx::bench
