#include "resolver/counting/rehearsal.hpp"

#include <algorithm>
#include <optional>

#include "resolver/counting/exact.hpp"
#include "resolver/network/elimination_order.hpp"

namespace stackx::resolver {
namespace {

constexpr double worth_it = 2e6;  // entries
constexpr std::size_t of_each = 4;

// Half of the versions; nothing if that leaves no solution.
std::optional<Network> thinned(Network network) {
  for (auto& variable : network.variables) {
    if (variable.kind != Variable::Kind::component) continue;
    for (std::size_t v = 1; v < variable.size(); v += 2)
      if (!variable.versions[v].empty()) variable.possible.reset(v);
  }
  if (!reduce(network)) return {};
  return network;
}

double joint(const Bucket& bucket) {
  double joint = 1;
  for (const auto classes : bucket.classes) joint *= classes;
  return joint;
}

// Puts into `plan` what it would take, as a trial on the small network tells; false if that was
// too much itself, or told nothing.
bool rehearse(Plan& plan, const Network& small, const Order& order) {
  const auto trial = make_plan(small, Shape::trie, order);
  const auto counted = exact_count(small, trial, {std::size_t{64} << 20});
  if (!counted || counted->entries.size() < plan.buckets.size()) return false;
  plan.entries = 0;
  for (std::size_t b = 0; b < plan.buckets.size(); ++b) {
    auto& bucket = plan.buckets[b];
    bucket.entries = static_cast<double>(counted->entries[b]) * joint(bucket) /
                     joint(trial.buckets[b]);
    plan.entries += bucket.entries;
  }
  return true;
}

}  // namespace

Plan rehearsed_plan(const Network& network) {
  auto orders = elimination_orders(Factors(network, Shape::trie), 400, of_each);
  auto best = make_plan(network, Shape::trie, orders.front());
  if (best.entries < worth_it) return best;
  const auto small = thinned(network);
  if (!small) return best;
  for (auto& order :
       elimination_orders(Factors(network, Shape::trie, Trust::relations), 400, of_each))
    orders.push_back(std::move(order));
  bool any = false;
  for (const auto& order : orders) {
    auto plan = make_plan(network, Shape::trie, order);
    if (!rehearse(plan, *small, order) || (any && plan.entries >= best.entries)) continue;
    best = std::move(plan);
    any = true;
  }
  return best;
}

}  // namespace stackx::resolver
