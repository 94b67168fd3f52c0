// The race on a cluster: looks between waves of blocks alone, whose means stand in one row (campaigns/cluster/head/waves.hpp).
//
//   log rate (arm, round) = node + block + offset(arm) + interaction(node, arm) + noise
// node and block effects (5% each) are common to all arms of a round; interaction is what a stack gains or loses on one node
// alone, constant there, and 0 over all nodes there could be: the best is the best over those.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/ranking/race.hpp"
#include "analysis/statistics/statistics.hpp"
#include "noise_model.hpp"
#include "trials.hpp"

namespace stackx::bench {
namespace {

constexpr double noise = 0.03;

struct Layout {
  std::uint64_t blocks = 1, rounds = 1;  // of a wave, of a block
  std::uint64_t nodes = 1;               // that blocks land on, by chance
  double interaction = 0;                // its SD, as a share of the noise's
};

struct Raced {
  bool lost = false;
  std::uint64_t inspections = 0, waves = 0;
};

// How many blocks hold so many rounds.
std::uint64_t holding(std::uint64_t rounds, const Layout& layout) { return (rounds + layout.rounds - 1) / layout.rounds; }

// Mean noise of an arm over a block.
double noise_of(const Layout& layout, specs::Random& random) {
  double sum = 0;
  for (std::uint64_t round = 0; round < layout.rounds; ++round) sum += noise * normal(random);
  return sum / static_cast<double>(layout.rounds);
}

// Arm 0 is the best.
Raced race_in_waves(const std::vector<double>& offsets, const Layout& layout, std::uint64_t most_rounds, specs::Random& random) {
  struct Node {
    double level = 0;
    std::vector<double> arms;
  };
  std::vector<Node> nodes(layout.nodes);
  for (auto& node : nodes) {
    node.level = 0.05 * normal(random);
    for (std::size_t arm = 0; arm < offsets.size(); ++arm) node.arms.push_back(layout.interaction * noise * normal(random));
  }
  specs::StrategySpec strategy{.kind = specs::StrategySpec::Kind::race};
  strategy.final_rounds = std::max<std::uint64_t>(6, holding(strategy.final_rounds, layout));
  analysis::Table table(offsets.size());
  std::vector<std::size_t> running(offsets.size());
  std::iota(running.begin(), running.end(), std::size_t{0});
  Raced raced;
  for (;;) {
    for (std::uint64_t block = 0; block < layout.blocks; ++block) {
      const Node& node = nodes[random.below(nodes.size())];
      const double level = node.level + 0.05 * normal(random);
      for (auto& row : table) row.emplace_back();
      for (const std::size_t arm : running) table[arm].back() = level + offsets[arm] + node.arms[arm] + noise_of(layout, random);
      raced.inspections += layout.rounds * running.size();
    }
    ++raced.waves;
    const auto race = analysis::race(table, strategy, holding(most_rounds, layout));
    if (race.running.empty()) {
      raced.lost = std::ranges::find(race.finalists, std::size_t{0}) == race.finalists.end();
      return raced;
    }
    running = race.running;
  }
}

std::vector<double> near_equals() {
  std::vector<double> offsets(12, -0.01);
  offsets[0] = 0;
  return offsets;
}

std::vector<double> spread() {
  std::vector<double> offsets(64, 0);
  for (std::size_t arm = 1; arm < 64; ++arm) offsets[arm] = std::log(0.95 - 0.35 * static_cast<double>(arm - 1) / 62);
  return offsets;
}

void row(const char* field, const std::vector<double>& offsets, const Layout& layout, const Trials& trials) {
  int lost = 0;
  std::vector<double> inspections, waves;
  for (int trial = 0; trial < trials.count; ++trial) {
    const auto name = fmt::format("{} {} {} {} {}", field, layout.blocks, layout.rounds, layout.nodes, layout.interaction);
    specs::Random random(specs::derive_seed(trials.seed, name, static_cast<std::uint64_t>(trial)));
    const auto raced = race_in_waves(offsets, layout, 100, random);
    lost += raced.lost;
    inspections.push_back(static_cast<double>(raced.inspections));
    waves.push_back(static_cast<double>(raced.waves));
  }
  fmt::print("| {} | {} x {} | {} | {:g} | {} | {:.1f}% | {:.0f} | {:.1f} |\n", field, layout.blocks, layout.rounds, layout.nodes,
             layout.interaction, trials.count, 100.0 * lost / trials.count, analysis::mean(inspections), analysis::mean(waves));
  std::fflush(stdout);
}

}  // namespace

void race_waves(const Trials& trials) {
  fmt::print("| field | blocks x rounds of a wave | nodes | SD of stack x node, of the noise's | n | best lost | inspections | waves |\n"
             "|---|---|---|---|---|---|---|---|\n");
  const auto equals = near_equals(), wide = spread();
  for (const auto& [blocks, rounds] : {std::pair{1, 1}, {1, 4}, {4, 1}, {4, 2}, {8, 4}}) {
    const Layout layout{static_cast<std::uint64_t>(blocks), static_cast<std::uint64_t>(rounds), 8, 0};
    row("64 arms, 5% to 40% behind", wide, layout, trials);
    row("12 arms, 1% behind", equals, layout, trials);
  }
  for (const double interaction : {0.125, 0.25, 0.5, 1.0})
    for (const std::uint64_t nodes : {1, 2, 4, 8, 32})
      row("12 arms, 1% behind", equals, {8, 4, nodes, interaction}, trials);
  for (const double interaction : {0.25, 0.5})
    for (const std::uint64_t nodes : {8, 32}) row("12 arms, 1% behind", equals, {8, 1, nodes, interaction}, trials);
}

}  // namespace stackx::bench
