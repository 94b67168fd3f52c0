// In which order to eliminate the variables: greedily the one whose table is cheapest, judged by
// the classes it would have; again with some noise, as often as the cost is worth it.
//
// Only sums, products and comparisons of doubles, so the order is the same on every machine.
#pragma once

#include <vector>

#include "resolver/factors.hpp"

namespace stackx::resolver {

std::vector<std::size_t> elimination_order(const Factors& factors);

}  // namespace stackx::resolver
