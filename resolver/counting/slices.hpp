// The solutions of a network that is too large to be counted at once, counted slice by slice.
//
// Conditioning (Pearl 1988; Dechter 1990): each value of one variable leaves a smaller network, in
// which arc consistency rules out more. Slices that are still too large are cut again. The variable
// is the one whose slices, as planned for some of its values, have the fewest entries altogether.
// Slices are counted in parallel. Those that time leaves uncounted are bounded (relaxed.hpp): from
// below by nothing, from above by an easier network's count.
//
// Rejected: a search that decides value by value and remembers what is left (sharpSAT): where many
// versions go together the tables of a slice share far more than any two nodes of the search.
#pragma once

#include "resolver/counting/join.hpp"
#include "resolver/resolver.hpp"

namespace stackx::resolver {

// `network`: reduced.
StackCount count_in_slices(const Network& network, const Limits& limits);

}  // namespace stackx::resolver
