// In which order to eliminate the variables: greedily the one whose table is cheapest, judged by
// the classes it would have; again with some noise, as often as the cost is worth it.
//
// Only sums, products and comparisons of doubles, so the order is the same on every machine.
#pragma once

#include <vector>

#include "resolver/network/factors.hpp"

namespace stackx::resolver {

using Order = std::vector<std::size_t>;

// Best first: at most `most` of them.
std::vector<Order> elimination_orders(const Factors& factors, std::uint64_t attempts = 400,
                                      std::size_t most = 1);

}  // namespace stackx::resolver
