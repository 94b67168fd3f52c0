// Which of the best orders by estimate is best: each is tried on a smaller network first.
//
// Every second version is left out. That makes tables of nine variables some hundred times smaller,
// and leaves what makes an order good: which joint classes have an entry. Each table's entries there
// are scaled by how many more joint classes its scope has. Estimates by densities alone are off by
// four, and the order that looks best is where they err most: on dense instances orders that looked
// alike took from 22 to 125 million entries.
#pragma once

#include "resolver/network/plan.hpp"

namespace stackx::resolver {

// For tries (exact.hpp); `entries` are those expected after the trial.
Plan rehearsed_plan(const Network& network);

}  // namespace stackx::resolver
