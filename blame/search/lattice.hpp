// The stacks between two ends as sets of groups: which of them are new. A set is a stack where it is closed: with a group
// it holds all that this one needs. Closed sets are a distributive lattice, so there is a least one with a group and a
// largest one without it, and a way from any closed set to any larger one that adds one group at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stackx::blame {

using Groups = std::vector<std::size_t>;  // ascending
using Subset = std::vector<bool>;         // of the groups: which are new

class Lattice {
 public:
  // Of each group those that must be new where it is: transitive, without itself, all before it.
  explicit Lattice(std::vector<Groups> needs = {});

  std::size_t size() const { return needs_.size(); }
  Subset none() const { return Subset(size(), false); }
  Subset all() const { return Subset(size(), true); }
  bool is_closed(const Subset& subset) const;

  Subset with(Subset subset, const Groups& groups) const;     // and all that these need
  Subset without(Subset subset, const Groups& groups) const;  // nor what needs these

  // The groups of `high` that `low` lacks, in an order in which they can be added one at a time; other seeds, other orders.
  Groups way(const Subset& low, const Subset& high, std::uint64_t seed) const;

  // All closed sets, by size; none if there are more than `most`.
  std::vector<Subset> stacks(std::size_t most) const;

  // About log2(size) closed sets, twice as many where groups need others: of any two groups one stands in some of them
  // without the other (where groups need others, of most two).
  std::vector<Subset> separating() const;

 private:
  std::vector<Groups> needs_;
  std::vector<Groups> needed_by_;
};

std::size_t count(const Subset& subset);

}  // namespace stackx::blame
