// About how many stacks a problem has, by hashing: without any tables, but slow where there are many
// (a second for 10^6, a minute for 10^12).
//
// ApproxMC (Chakraborty, Meel, Vardi 2016): m random parities of the stacks' bits cut the stacks
// into 2^m cells of about the same size; with m so large that a random cell holds some dozen, count
// that cell and multiply. The median of several such estimates is off by a factor of more than
// 1 + tolerance with a probability of at most 1 - confidence. Few stacks are counted exactly.
//
// The bits are those of the number of each component's version, absent being 0: they determine the
// stack, and a parity is over some five of them a component (rejected: one variable for each
// version, whose parities are four times as long, and long parities are what makes this slow).
#pragma once

#include "resolver/counting/approximate_count.hpp"

namespace stackx::resolver {

// With tolerance 0.8 and confidence 0.8. The same for the same seed on every machine.
ApproximateCount hashed_count(const Problem& problem, std::uint64_t seed);

}  // namespace stackx::resolver
