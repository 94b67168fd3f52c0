// A small set of stacks that together hold every combination of T versions (of T different
// components) that any stack holds: pairwise testing for T = 2, over valid stacks only.
//
// Which combinations are possible is read off the tables, exactly. Each row is grown greedily, from
// several combinations that are not covered yet; the walk through the circuit allows only choices
// that complete to a stack, so rows are valid by construction (Cohen et al., AETG, 1997), and is
// then improved version by version. At the end a row goes if what only it holds finds room in the
// others, where that takes other versions of one or two components.
#pragma once

#include "resolver/tables/space.hpp"

namespace stackx::resolver {

struct CoverRows {
  std::vector<Chosen> rows;
  std::uint64_t combinations = 0;  // valid ones; every one is held by a row
  std::size_t at_least = 0;        // no set of stacks holds them all with fewer rows
};

// 1 <= strength <= 3. Throws Error(bad_input) where there are more combinations than can be listed.
CoverRows cover(Space& space, const Problem& problem, unsigned strength, std::uint64_t seed);

}  // namespace stackx::resolver
