// The number of solutions of a network by joins (join.hpp): nothing is kept but the count, so each
// message goes when it is read.
#pragma once

#include <expected>

#include "resolver/counting/join.hpp"

namespace stackx::resolver {

struct Counted {
  BigInt count = 0;
  std::vector<std::size_t> entries;  // by bucket, as far as there were any
};

// Never Joined::done where there is no count.
std::expected<Counted, Joined> exact_count(const Network& network, const Plan& plan,
                                          const Budget& budget);

}  // namespace stackx::resolver
