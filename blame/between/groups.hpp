// Changes that no valid stack separates, and what each such group needs: the strongly connected components of the rules, and
// what they reach.
//
// A change at one end alone joins the group that alone requires it (blame/between/between.hpp). That may leave another with one group
// that requires it, so it is asked again until nothing joins; groups only grow, so the order does not matter.
#pragma once

#include <vector>

#include "blame/between/between.hpp"
#include "blame/between/rules.hpp"

namespace stackx::blame {

// In an order in which each stands after all that it needs. `rules` gets those of presence.
std::vector<Group> find_groups(const std::vector<Change>& changes, std::vector<Rule>& rules);

}  // namespace stackx::blame
