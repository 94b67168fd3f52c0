#include "resolver/order.hpp"

#include <algorithm>

namespace stackx::resolver {

std::vector<std::size_t> decision_order(const Neighbours& neighbours,
                                        const std::vector<std::size_t>& first) {
  const std::size_t count = neighbours.size();
  std::vector<std::size_t> position(count, count);
  std::set<std::size_t> frontier;  // undecided ones that decided ones touch
  const std::set<std::size_t> roots(first.begin(), first.end());

  for (std::size_t placed = 0; placed < count; ++placed) {
    std::set<std::size_t> candidates = frontier;
    if (candidates.empty())
      for (const auto root : roots)
        if (position[root] == count) candidates.insert(root);
    if (candidates.empty())
      for (std::size_t c = 0; c < count; ++c)
        if (position[c] == count) candidates.insert(c);

    std::size_t best = count, best_cost = 0;
    for (const auto c : candidates) {
      const auto cost =
          static_cast<std::size_t>(std::ranges::count_if(neighbours[c], [&](auto other) {
            return position[other] == count && !frontier.contains(other);
          }));
      if (best == count || cost < best_cost) best = c, best_cost = cost;
    }
    position[best] = placed;
    frontier.erase(best);
    for (const auto other : neighbours[best])
      if (position[other] == count) frontier.insert(other);
  }
  return position;
}

}  // namespace stackx::resolver
