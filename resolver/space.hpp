// The stacks of one model, in the order of the search: as a diagram where that fits into memory,
// else by plain enumeration. Both give the same answers in the same order.
#pragma once

#include "resolver/diagram.hpp"

namespace stackx::resolver {

class Space {
 public:
  Space(Model model, std::size_t diagram_bytes);
  Space(const Space&) = delete;  // the diagram refers to the model
  Space& operator=(const Space&) = delete;

  const BigInt& count() const;
  void each(const Visit& visit) const;                             // until it returns false
  std::vector<Chosen> at(const std::vector<BigInt>& ranks) const;  // ascending and different
  std::vector<std::vector<BigInt>> shares() const;

 private:
  Model model_;
  std::optional<Diagram> diagram_;
  mutable std::optional<BigInt> count_;  // once asked
};

// The first stack of the model, if it has one. Remembers hopeless subproblems.
std::optional<Chosen> first_stack(const Model& model);

}  // namespace stackx::resolver
