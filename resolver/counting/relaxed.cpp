#include "resolver/counting/relaxed.hpp"

#include <algorithm>
#include <limits>

namespace stackx::resolver {
namespace {

// What a relation allows of one side's values, by whether the other side's component is there.
struct Weakening {
  std::size_t relation = 0;
  Rows allowed;
  double growth = std::numeric_limits<double>::infinity();  // of the pairs that are allowed
};

bool is_absent(const Variable& variable, std::size_t value) {
  return variable.kind == Variable::Kind::component && variable.versions[value].empty();
}

double pairs(const Rows& rows) {
  std::size_t count = 0;
  for (const auto& row : rows) count += row.count();
  return static_cast<double>(count);
}

// The second side's values are told apart by presence only.
Rows without_versions_of_second(const Rows& rows, const Variable& second) {
  Bits present(second.size());
  for (std::size_t w = 0; w < second.size(); ++w) present[w] = !is_absent(second, w);
  Rows result = rows;
  for (auto& row : result)
    if (row.intersects(present)) row |= present;
  return result;
}

Rows without_versions_of_first(const Rows& rows, const Variable& first) {
  Bits any(rows.empty() ? 0 : rows.front().size());
  for (std::size_t v = 0; v < rows.size(); ++v)
    if (!is_absent(first, v)) any |= rows[v];
  Rows result = rows;
  for (std::size_t v = 0; v < rows.size(); ++v)
    if (!is_absent(first, v)) result[v] = any;
  return result;
}

// The variables of the buckets that take most of all entries.
std::vector<bool> crowded(const Network& network, const Plan& plan) {
  std::vector<bool> crowded(network.variables.size());
  double most = 0;
  for (const auto& bucket : plan.buckets) most = std::max(most, bucket.entries);
  for (const auto& bucket : plan.buckets) {
    if (bucket.entries < most / 4) continue;
    crowded[bucket.variable] = true;
    for (const auto x : bucket.scope) crowded[x] = true;
  }
  return crowded;
}

// The one that allows the fewest new pairs; nothing if no relation among these can be weakened.
std::optional<Weakening> least(const Network& network, const std::vector<bool>& among) {
  Weakening best;
  for (std::size_t r = 0; r < network.relations.size(); ++r) {
    const auto& relation = network.relations[r];
    if (!among[relation.first] || !among[relation.second]) continue;
    const double before = pairs(relation.allowed);
    for (auto& allowed :
         {without_versions_of_second(relation.allowed, network.variables[relation.second]),
          without_versions_of_first(relation.allowed, network.variables[relation.first])}) {
      if (allowed == relation.allowed) continue;
      if (const double growth = pairs(allowed) / before; growth < best.growth)
        best = {r, allowed, growth};
    }
  }
  if (best.allowed.empty()) return {};
  return best;
}

}  // namespace

std::optional<BigInt> upper_bound(Network network, double entries, const Budget& budget) {
  while (!budget.is_over()) {
    const auto plan = make_plan(network, Shape::trie, 1);
    if (plan.entries <= entries) {
      const auto count = exact_count(network, plan, budget);
      if (count) return count->count;
      if (count.error() == Joined::out_of_time) return {};
      entries /= 4;
      continue;
    }
    // Several at once where much is to be saved.
    for (double excess = plan.entries / entries; excess > 1; excess /= 8) {
      const auto weakening = least(network, crowded(network, plan));
      if (!weakening) return {};
      network.relations[weakening->relation].allowed = weakening->allowed;
    }
  }
  return {};
}

}  // namespace stackx::resolver
