// A space of few stacks, all of them at hand: for components too entangled for tables that leave
// little to choose.
#pragma once

#include "resolver/tables/space.hpp"

namespace stackx::resolver {

// Nothing if there are more than `most` stacks.
std::unique_ptr<Space> listed_space(const Problem& problem, std::size_t most);

}  // namespace stackx::resolver
