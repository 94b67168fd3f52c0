// The order in which components are decided: greedily the one that leaves the fewest undecided
// components touching decided ones, among those that the decided ones touch.
//
// A poor man's vertex separation. Rejected: fewest candidates first, which fails sooner but makes
// equal subproblems look different.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

namespace stackx::resolver {

using Neighbours = std::vector<std::set<std::size_t>>;

// For each component its position. Begins with one of `first`.
std::vector<std::size_t> decision_order(const Neighbours& neighbours,
                                        const std::vector<std::size_t>& first);

}  // namespace stackx::resolver
