// What lies between two ends as a question to the resolver (blame/between/between.hpp).
#pragma once

#include <vector>

#include "blame/between/between.hpp"
#include "blame/between/rules.hpp"

namespace stackx::blame {

// `between` has its changes, groups and a catalog of the versions at both ends, without requirements; its project has the
// hardware. Adds the roots and the rules, and counts. Throws Error(bad_input) if the ends have nothing in common.
void pose(Between& between, const std::vector<Rule>& rules);

}  // namespace stackx::blame
