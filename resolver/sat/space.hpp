// Stacks of a problem that is too entangled to be counted: one, or all in a stream.
//
// Every stack that was found is forbidden before the next is looked for, so memory and the time for
// a stack grow with what was listed already: thousands are fine, millions are not. Rejected:
// enumeration by backtracking without such clauses, which CryptoMiniSat has no interface for.
#pragma once

#include <functional>
#include <optional>

#include "resolver/problem.hpp"

namespace stackx::resolver {

class SatSpace {
 public:
  explicit SatSpace(const Problem& problem) : problem_(problem) {}

  std::optional<Choice> first() const;  // nothing if there is none
  // Every stack once, in an order that is the same on every machine, until `visit` returns false.
  void each(const std::function<bool(const Choice&)>& visit) const;

 private:
  const Problem& problem_;
};

}  // namespace stackx::resolver
