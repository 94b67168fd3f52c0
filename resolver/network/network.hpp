// A problem as variables and binary relations: what the exact engine counts the solutions of.
//
// Every solution of the network is one stack and every stack one solution. The variables are
//   component  absent, or one class of versions that no clause tells apart
//   slot       nobody, or which component holds the name, in which class, and whether anybody
//              demands it; only for names that are not simply a component's own
//   condition  whether a conditional requirement holds
// Besides forbidding pairs of values, a relation says which values support each other. A value that
// needs support occurs only where some neighbour supports it: what is selected must be demanded by
// something selected, and a condition that does not hold must fail somewhere. A version that must be named
// (specs::ByName) is supported by those alone that name it; of a slot that it holds, "demanded" means named.
//
// Support must be founded. Where supporters can form a cycle, each value carries its level, how many
// components the shortest chain of support from outside the cycle has, so that it stays one
// solution.
// Rejected: levels for every variable, which multiply the values of those that need none; ternary
// relations for names with several holders.
#pragma once

#include <optional>
#include <vector>

#include "resolver/problem.hpp"

namespace stackx::resolver {

using Bits = boost::dynamic_bitset<std::uint64_t>;
using Rows = std::vector<Bits>;  // [value of one variable][value of the other]

struct Variable {
  enum class Kind { component, slot, condition };
  Kind kind = Kind::component;
  std::size_t index = 0;                            // of the component, slot or clause
  std::vector<bool> needs;                          // by value: occurs only if supported
  Bits possible;                                    // values that roots and pins leave
  std::vector<std::vector<std::int32_t>> versions;  // by value of a component; absent: empty
  std::size_t size() const { return needs.size(); }
};

// Of two variables first < second. What `supports` says holds for allowed pairs only.
struct Relation {
  std::size_t first = 0, second = 0;
  Rows allowed;           // [first][second]
  Rows first_supported;   // [first][second]: the second's value supports the first's
  Rows second_supported;  // [first][second]: the first's value supports the second's
};

struct Network {
  std::vector<Variable> variables;
  std::vector<Relation> relations;
};

// Stacks in which `slot` is held by component `holder`, or by nobody.
struct Stratum {
  std::size_t slot;
  std::optional<std::size_t> holder;
};

Network network_of(const Problem& problem, const std::optional<Stratum>& stratum = {});

// Removes values that are in no solution (arc consistency), relations that say nothing, and joins
// values of a component that no relation tells apart. False if a variable has no value left.
bool reduce(Network& network);

}  // namespace stackx::resolver
