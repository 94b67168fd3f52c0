#include "analysis/statistics/nodes.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "analysis/ranking/placement.hpp"
#include "analysis/statistics/median_polish.hpp"
#include "analysis/statistics/one_way.hpp"

namespace stackx::analysis {
namespace {

// Inspections with everything that they belong to numbered; a number belongs to one of the next: round -> block -> node.
struct Numbered {
  struct Inspection {
    std::size_t stack = 0, round = 0;
    double log_rate = 0;
  };
  std::vector<Inspection> inspections;  // stack by stack
  std::vector<std::size_t> block_of;    // of a round
  std::vector<std::size_t> node_of;     // of a block
  std::vector<NodeId> nodes;
  std::vector<const specs::Stack*> stacks;

  std::size_t block(const Inspection& one) const { return block_of[one.round]; }
  std::size_t node(const Inspection& one) const { return node_of[block(one)]; }
};

template <typename Key>
std::size_t number_of(std::map<Key, std::size_t>& numbers, const Key& key) {
  return numbers.try_emplace(key, numbers.size()).first->second;
}

Numbered numbered(const Rates& rates) {
  Numbered all;
  std::map<NodeId, std::size_t> nodes;
  std::map<std::tuple<std::size_t, std::string_view, std::string_view>, std::size_t> blocks;  // node, campaign, device
  std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> rounds;
  for (const StackRates& stack : rates.stacks) {
    for (const Value& value : stack.values) {
      const auto& [campaign, round, device] = value.slot;
      if (campaign.empty()) continue;
      const auto node = number_of(nodes, analysis::node_of(*value.measurement));
      if (node == all.nodes.size()) all.nodes.push_back(analysis::node_of(*value.measurement));
      const auto block = number_of(blocks, {node, campaign, device});
      if (block == all.node_of.size()) all.node_of.push_back(node);
      const auto slot = number_of(rounds, {block, round});
      if (slot == all.block_of.size()) all.block_of.push_back(block);
      all.inspections.push_back({all.stacks.size(), slot, std::log(value.amount)});
    }
    all.stacks.push_back(&stack.stack);
  }
  return all;
}

// Of the nodes that hang together by stacks, the most; a stack of one node ties nothing. Each node's mark.
std::vector<bool> connected(const Numbered& all) {
  std::vector<std::set<std::size_t>> nodes(all.stacks.size()), stacks(all.nodes.size());
  for (const auto& one : all.inspections) {
    nodes[one.stack].insert(all.node(one));
    stacks[all.node(one)].insert(one.stack);
  }
  std::vector<bool> seen(all.nodes.size()), best;
  std::size_t most = 0;
  for (std::size_t first = 0; first < all.nodes.size(); ++first) {
    if (seen[first]) continue;
    std::vector<bool> group(all.nodes.size());
    std::vector<std::size_t> open{first};
    std::size_t size = 0;
    group[first] = seen[first] = true;
    while (!open.empty()) {
      const auto node = open.back();
      open.pop_back();
      ++size;
      for (const auto stack : stacks[node])
        for (const auto other : nodes[stack])
          if (!group[other]) group[other] = seen[other] = true, open.push_back(other);
    }
    if (size > most) most = size, best = std::move(group);
  }
  return best;
}

// Only what speaks of nodes: theirs, of stacks that ran on two of them.
void keep(Numbered& all, const std::vector<bool>& nodes) {
  std::vector<std::set<std::size_t>> ran_on(all.stacks.size());
  for (const auto& one : all.inspections) ran_on[one.stack].insert(all.node(one));
  std::erase_if(all.inspections, [&](const auto& one) { return !nodes[all.node(one)] || ran_on[one.stack].size() < 2; });
}

using Lists = std::vector<std::vector<double>>;

// A variance with what it rests on.
struct Variance {
  double squares = 0, freedom = 0;

  void add(const std::vector<double>& values) {
    if (values.empty()) return;
    squares += sum_of_squares(values);
    freedom += static_cast<double>(values.size() - 1);
  }
  double value() const { return freedom > 0 ? squares / freedom : 0; }
};

double quantile_of_t(double freedom, double tail) { return boost::math::quantile(complement(boost::math::students_t(freedom), tail)); }

// The fit: levels of stacks, rounds, blocks and nodes, logs all.
class Levels {
 public:
  explicit Levels(const Numbered& all) : all_(all) {
    fit_stacks();
    fit_rounds();
    Lists of_block(all.node_of.size()), of_node(all.nodes.size());
    for (std::size_t round = 0; round < rounds_.size(); ++round)
      if (rounds_[round]) of_block[all.block_of[round]].push_back(*rounds_[round]);
    blocks_.resize(of_block.size());
    for (std::size_t block = 0; block < of_block.size(); ++block)
      if (!of_block[block].empty()) blocks_[block] = median(of_block[block]);
    for (std::size_t block = 0; block < blocks_.size(); ++block)
      if (blocks_[block]) of_node[all.node_of[block]].push_back(*blocks_[block]);
    blocks_of_node_ = std::move(of_node);
    rounds_of_block_ = std::move(of_block);
  }

  const std::vector<double>& blocks_of(std::size_t node) const { return blocks_of_node_[node]; }
  const Lists& rounds_by_block() const { return rounds_of_block_; }
  double stack(std::size_t stack) const { return *stacks_[stack]; }
  // Of the stack's rate to the field in its round.
  double residual(const Numbered::Inspection& one) const { return one.log_rate - *stacks_[one.stack] - *rounds_[one.round]; }

 private:
  void fit_stacks() {
    std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> cells;
    for (const auto& one : all_.inspections) cells[{one.stack, all_.block(one)}].push_back(one.log_rate);
    SparseTable table{all_.stacks.size(), all_.node_of.size(), {}};
    for (const auto& [at, logs] : cells) table.cells.push_back({at.first, at.second, median(logs)});
    stacks_ = sparse_median_polish(std::move(table)).arms;
  }
  void fit_rounds() {
    Lists left(all_.block_of.size());
    for (const auto& one : all_.inspections) left[one.round].push_back(one.log_rate - *stacks_[one.stack]);
    rounds_.resize(left.size());
    for (std::size_t round = 0; round < left.size(); ++round)
      if (!left[round].empty()) rounds_[round] = median(left[round]);
  }

  const Numbered& all_;
  std::vector<std::optional<double>> stacks_, rounds_, blocks_;
  Lists blocks_of_node_, rounds_of_block_;
};

// A node's level and what its error rests on.
struct Level {
  std::size_t node = 0;
  double level = 0, error = 0;  // error: standard
};

struct Estimate {
  std::vector<Level> levels;  // of the nodes that are compared
  double freedom = 0;         // of all errors; 0: none can be given
  bool by_blocks = false;
};

// The rounds of each of a node's blocks.
std::vector<Lists> rounds_by_node(const Numbered& all, const Levels& levels) {
  std::vector<Lists> result(all.nodes.size());
  for (std::size_t block = 0; block < all.node_of.size(); ++block)
    if (!levels.rounds_by_block()[block].empty()) result[all.node_of[block]].push_back(levels.rounds_by_block()[block]);
  return result;
}

Estimate estimate(const Numbered& all, const Levels& levels) {
  Estimate result;
  const auto rounds = rounds_by_node(all, levels);
  std::size_t compared = 0, repeated = 0;
  for (const auto& blocks : rounds) compared += !blocks.empty(), repeated += blocks.size() > 1;
  result.by_blocks = 2 * repeated > compared;
  std::vector<Variance> own(all.nodes.size());
  Variance pooled;
  for (std::size_t node = 0; node < rounds.size(); ++node) {
    if (result.by_blocks)
      own[node].add(levels.blocks_of(node));
    else
      for (const auto& block : rounds[node]) own[node].add(block);
    pooled.squares += own[node].squares;
    pooled.freedom += own[node].freedom;
  }
  result.freedom = pooled.freedom;
  for (std::size_t node = 0; node < rounds.size(); ++node) {
    if (rounds[node].empty()) continue;
    double units = 0;
    for (const auto& block : rounds[node]) units += result.by_blocks ? 1 : static_cast<double>(block.size());
    // A median of many varies by pi/2 times as much as their mean.
    const double factor = result.by_blocks ? 1 : std::numbers::pi / 2;
    const double variance = factor * std::max(pooled.value(), own[node].value()) / units;
    result.levels.push_back({node, mean(levels.blocks_of(node)), std::sqrt(variance)});
  }
  std::ranges::stable_sort(result.levels, {}, &Level::level);
  return result;
}

// Against the median node; of two, the slower against the faster, which has no error then.
double center(Estimate& of) {
  std::vector<double> all;
  for (const Level& one : of.levels) all.push_back(one.level);
  const double typical = all.size() == 2 ? all.back() : median(all);
  if (all.size() == 2) {
    of.levels.front().error = std::hypot(of.levels.front().error, of.levels.back().error);
    of.levels.back().error = 0;
  }
  for (Level& one : of.levels) one.level -= typical;
  return typical;
}

// Twice the smaller tail of "the factor lies within the band".
double p_outside(const Level& level, double freedom, double band) {
  const double beyond = std::abs(level.level) - band;
  if (level.error <= 0) return beyond > 0 ? 0 : 1;
  return std::min(1.0, 2 * boost::math::cdf(complement(boost::math::students_t(freedom), beyond / level.error)));
}

void judge_nodes(const Estimate& of, Nodes& result) {
  if (of.freedom <= 0) return;
  const std::size_t members = of.levels.size() == 2 ? 1 : of.levels.size();  // of two, one is the measure
  std::vector<double> p;
  for (std::size_t i = 0; i < members; ++i) p.push_back(p_outside(of.levels[i], of.freedom, std::log1p(result.delta)));
  const Holm decided = holm(p, 1 - result.confidence);
  for (std::size_t i = 0; i < members; ++i) {
    const double reach = of.levels[i].error * quantile_of_t(of.freedom, decided.level[i] / 2);
    result.nodes[i].odd = decided.rejected[i];
    result.nodes[i].interval = Interval{std::exp(of.levels[i].level - reach), std::exp(of.levels[i].level + reach), 1 - decided.level[i]};
  }
}

// One stack on one node: its log rates less the stack's and the typical node's level.
void count_stacks(const Numbered& all, const Levels& levels, const Estimate& of, double typical, Nodes& result) {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> cells;  // node, stack
  Variance noise;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> residuals;  // stack, block
  for (const auto& one : all.inspections) {
    cells[{all.node(one), one.stack}].push_back(one.log_rate - levels.stack(one.stack) - typical);
    residuals[{one.stack, all.block(one)}].push_back(levels.residual(one));
  }
  for (const auto& [at, values] : residuals) noise.add(values);
  for (std::size_t i = 0; i < of.levels.size(); ++i) {
    Node& node = result.nodes[i];
    const Level& level = of.levels[i];
    const double t = of.freedom > 0 ? quantile_of_t(of.freedom, (1 - result.confidence) / 2) : HUGE_VAL;
    for (auto at = cells.lower_bound({level.node, 0}); at != cells.end() && at->first.first == level.node; ++at) {
      ++node.stacks;
      node.inspections += at->second.size();
      const double own = std::numbers::pi / 2 * noise.value() / static_cast<double>(at->second.size());
      const double off = median(at->second);
      node.shown_in += off * level.level > 0 && std::abs(off) > t * std::sqrt(own + level.error * level.error);
    }
  }
}

void count_units(const Numbered& all, const Levels& levels, const Estimate& of, Nodes& result) {
  const auto rounds = rounds_by_node(all, levels);
  for (std::size_t i = 0; i < of.levels.size(); ++i) {
    result.nodes[i].blocks = rounds[of.levels[i].node].size();
    for (const auto& block : rounds[of.levels[i].node]) result.nodes[i].rounds += block.size();
  }
}

void set_spreads(const Numbered& all, const Estimate& of, Nodes& result) {
  std::vector<double> levels, errors;
  for (const Level& one : of.levels) {
    levels.push_back(one.level);
    errors.push_back(one.error * one.error);
  }
  // Of two, the one error is that of their difference, which both share.
  const double noise = levels.size() == 2 ? errors.front() / 2 : mean(errors);
  if (of.freedom > 0) result.between = std::sqrt(std::max(0.0, sum_of_squares(levels) / static_cast<double>(levels.size() - 1) - noise));
  std::vector<Variance> of_stack(all.stacks.size());
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> cells;
  for (const auto& one : all.inspections) cells[{one.stack, all.block(one)}].push_back(one.log_rate);
  for (const auto& [at, logs] : cells) of_stack[at.first].add(logs);
  std::vector<double> spreads;
  for (const Variance& one : of_stack)
    if (one.freedom > 0) spreads.push_back(std::sqrt(one.value()));
  if (!spreads.empty()) result.within = median(spreads);
}

std::optional<Interaction> interaction(const Numbered& all, const Levels& levels, double confidence) {
  std::vector<Lists> ratios(all.stacks.size(), Lists(all.nodes.size()));
  for (const auto& one : all.inspections) ratios[one.stack][all.node(one)].push_back(levels.residual(one));
  Interaction result;
  std::vector<double> p, variances;
  std::vector<const specs::Stack*> stacks;
  for (std::size_t stack = 0; stack < ratios.size(); ++stack)
    if (const auto found = one_way(ratios[stack])) {
      p.push_back(found->p);
      variances.push_back(found->between);
      stacks.push_back(all.stacks[stack]);
    }
  if (p.size() < 2) return std::nullopt;
  result.stacks = p.size();
  result.spread = std::sqrt(std::max(0.0, mean(variances)));
  const Holm decided = holm(p, 1 - confidence);
  for (std::size_t i = 0; i < p.size(); ++i)
    if (decided.rejected[i]) result.shown.push_back(*stacks[i]);
  return result;
}

}  // namespace

std::optional<Nodes> nodes(const Rates& rates, double delta, double confidence) {
  const auto placement = placement_of(rates.stacks);
  if (placement.size() < 2) return std::nullopt;
  Numbered all = numbered(rates);
  const auto compared = connected(all);
  if (std::ranges::count(compared, true) < 2) return std::nullopt;
  keep(all, compared);
  const Levels levels(all);
  Estimate of = estimate(all, levels);
  const double typical = center(of);
  Nodes result;
  result.by_blocks = of.by_blocks;
  result.delta = delta;
  result.confidence = confidence;
  for (const Level& one : of.levels) {
    result.nodes.emplace_back().name = name_of(all.nodes[one.node], placement);
    result.nodes.back().factor = std::exp(one.level);
  }
  for (std::size_t node = 0; node < all.nodes.size(); ++node)
    if (!compared[node]) result.apart.push_back(name_of(all.nodes[node], placement));
  judge_nodes(of, result);
  count_units(all, levels, of, result);
  count_stacks(all, levels, of, typical, result);
  set_spreads(all, of, result);
  result.interaction = interaction(all, levels, confidence);
  return result;
}

}  // namespace stackx::analysis
