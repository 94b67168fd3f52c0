// All stacks of a problem, counted once; every question is then answered from the same tables
// (network/plan.hpp, tables.hpp) and choices (circuit.hpp).
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "resolver/network/plan.hpp"
#include "specs/random.hpp"

namespace stackx::resolver {

// For each component the selected version, or -1.
using Chosen = std::vector<std::int32_t>;
using Visit = std::function<bool(const Chosen&)>;  // false stops

// A version that a component shall have.
struct Held {
  std::size_t component;
  std::int32_t version;
};
// Which of a component's versions (-1: absent) to go on with: a place in the list.
using Pick = std::function<std::size_t(std::size_t, const std::vector<std::int32_t>&)>;

using VersionScores = std::vector<std::vector<Score>>;  // by component and version
using VisitScored = std::function<bool(const Chosen&, Score)>;

class Space {
 public:
  virtual ~Space() = default;

  virtual BigInt count() const = 0;
  // For each component and version the number of stacks that hold it.
  virtual std::vector<std::vector<BigInt>> shares() const = 0;

  virtual void each(const Visit& visit) = 0;       // always in the same order
  virtual Chosen at(BigInt rank) = 0;              // in that order; rank < count()
  virtual Chosen draw(specs::Random& random) = 0;  // uniform; count() > 0
  // Best score first; among equals in the order of each().
  virtual void best(const VersionScores& scores, const VisitScored& visit) = 0;

  // For each component the versions that some stack with these versions holds.
  virtual std::vector<Bits> beside(const std::vector<Held>& held) = 0;
  // The stack with these versions (there must be one) that `pick` decides for step by step.
  virtual Chosen guided(const std::vector<Held>& held, const Pick& pick) = 0;
  // Is it a stack? Nothing where only the tables could tell.
  virtual std::optional<bool> holds(const Chosen& chosen) const = 0;
};

// Why there are no tables: the components of one of them, and the bytes that all would take at
// least.
struct Entangled {
  std::vector<std::size_t> components;
  double bytes = 0;
};

// Takes at most about `bytes` of memory.
std::expected<std::unique_ptr<Space>, Entangled> make_space(
    const Problem& problem, std::size_t bytes, const std::optional<Stratum>& stratum = {});
// Of the problem's reduced network, by this plan.
std::expected<std::unique_ptr<Space>, Entangled> make_space(const Problem& problem, Network network,
                                                            Plan plan, std::size_t bytes);

}  // namespace stackx::resolver
