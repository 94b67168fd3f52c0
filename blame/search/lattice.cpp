#include "blame/search/lattice.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "specs/random.hpp"

namespace stackx::blame {

Lattice::Lattice(std::vector<Groups> needs) : needs_(std::move(needs)), needed_by_(needs_.size()) {
  for (std::size_t group = 0; group < size(); ++group)
    for (const auto needed : needs_[group]) needed_by_.at(needed).push_back(group);
}

bool Lattice::is_closed(const Subset& subset) const {
  for (std::size_t group = 0; group < size(); ++group)
    if (subset[group] && !std::ranges::all_of(needs_[group], [&](const auto needed) { return subset[needed]; })) return false;
  return true;
}

Subset Lattice::with(Subset subset, const Groups& groups) const {
  for (const auto group : groups) {
    subset[group] = true;
    for (const auto needed : needs_[group]) subset[needed] = true;
  }
  return subset;
}

Subset Lattice::without(Subset subset, const Groups& groups) const {
  for (const auto group : groups) {
    subset[group] = false;
    for (const auto needing : needed_by_[group]) subset[needing] = false;
  }
  return subset;
}

Groups Lattice::way(const Subset& low, const Subset& high, std::uint64_t seed) const {
  specs::Random random(seed);
  Groups order;
  for (std::size_t group = 0; group < size(); ++group)
    if (high[group] && !low[group]) order.push_back(group);
  random.shuffle(order);
  Groups way;
  Subset reached = low;
  const auto take = [&](const std::size_t group) {
    if (!reached[group]) way.push_back(group);
    reached[group] = true;
  };
  for (const auto group : order) {
    for (const auto needed : needs_[group]) take(needed);  // ascending: each after what it needs itself
    take(group);
  }
  return way;
}

std::vector<Subset> Lattice::stacks(std::size_t most) const {
  std::set<Subset> found{none()};
  std::vector<Subset> open{none()};
  while (!open.empty()) {
    const auto subset = open.back();
    open.pop_back();
    for (std::size_t group = 0; group < size(); ++group) {
      const auto larger = with(subset, {group});
      if (!found.insert(larger).second) continue;
      if (found.size() > most) return {};
      open.push_back(larger);
    }
  }
  std::vector<Subset> result(found.begin(), found.end());
  std::ranges::stable_sort(result, {}, count);
  return result;
}

std::vector<Subset> Lattice::separating() const {
  const bool is_free = std::ranges::all_of(needs_, [](const Groups& needs) { return needs.empty(); });
  const auto bits = static_cast<std::size_t>(std::bit_width(size() < 2 ? std::size_t{0} : size() - 1));
  std::set<Subset> found;
  for (std::size_t bit = 0; bit < bits; ++bit)
    for (const std::size_t value : {1, 0}) {
      if (value == 0 && is_free) continue;  // the other half separates no more
      Groups half;
      for (std::size_t group = 0; group < size(); ++group)
        if (((group >> bit) & 1) == value) half.push_back(group);
      found.insert(with(none(), half));
    }
  found.erase(all());
  found.erase(none());
  return {found.begin(), found.end()};
}

std::size_t count(const Subset& subset) { return static_cast<std::size_t>(std::ranges::count(subset, true)); }

}  // namespace stackx::blame
