// Which stacks a campaign takes: distinct uniform ranks, turned into stacks in one pass over each
// stratum.
//
// Ranks come from Floyd's algorithm over exact integers and specs/random.hpp, so that a seed gives
// the same stacks on every machine. Rejected: drawing stacks and dropping repetitions, which is
// slow when nearly all stacks are wanted; reservoir sampling, which visits every stack.
#pragma once

#include <vector>

#include "resolver/problem.hpp"
#include "resolver/space.hpp"
#include "specs/random.hpp"

namespace stackx::resolver {

// Uniform in [0, bound), without bias; bound > 0.
BigInt below(specs::Random& random, const BigInt& bound);

// `count` different ranks below `bound` (count <= bound), ascending: every such set is equally
// likely.
std::vector<BigInt> distinct_ranks(specs::Random& random, const BigInt& bound, std::uint64_t count);

// Splits `count` into equal shares of at most `sizes`; what one cannot fill goes to the others, and
// what does not divide goes to the first that have room.
std::vector<std::uint64_t> equal_shares(const std::vector<BigInt>& sizes, std::uint64_t count);

// `everything` is the space of the whole problem.
std::vector<Chosen> draw(const Problem& problem, const Space& everything, const Limits& limits,
                         const specs::SamplerSpec& sampler);

}  // namespace stackx::resolver
