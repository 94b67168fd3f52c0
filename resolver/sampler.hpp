// Which stacks a campaign takes, and stacks that are far apart.
//
// A campaign takes different stacks: ranks from Floyd's algorithm over exact integers and
// specs/random.hpp, so that a seed gives the same stacks on every machine. Rejected: drawing stacks
// and dropping repetitions, which is slow when nearly all stacks are wanted; reservoir sampling,
// which visits every stack.
#pragma once

#include <vector>

#include "resolver/tables/space.hpp"

namespace stackx::resolver {

// `count` different ranks below `bound` (count <= bound), ascending: every such set is equally
// likely.
std::vector<BigInt> distinct_ranks(specs::Random& random, const BigInt& bound, std::uint64_t count);

// Splits `count` into equal shares of at most `sizes`; what one cannot fill goes to the others, and
// what does not divide goes to the first that have room.
std::vector<std::uint64_t> equal_shares(const std::vector<BigInt>& sizes, std::uint64_t count);

// `space(stratum)` is the space of the stacks in that stratum; of all without one.
using SpaceFor = std::function<std::shared_ptr<Space>(const std::optional<Stratum>&)>;
std::vector<Chosen> draw(const Problem& problem, const SpaceFor& space,
                         const specs::SamplerSpec& sampler);

// `count` different stacks (all, if there are fewer), each as far as can be found from those before
// it: of 64 uniform draws and the stacks whose versions were used least, the one whose nearest
// predecessor differs in most components (Mitchell's best candidate).
std::vector<Chosen> draw_apart(Space& space, std::uint64_t count, std::uint64_t seed);

}  // namespace stackx::resolver
