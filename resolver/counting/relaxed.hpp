// No fewer than the solutions of a network: those of an easier one.
//
// Where a relation says which versions go together, the easier network asks of one side only whether
// the component is there: whatever one of its versions allows, all allow. Every solution stays one,
// because no allowed pair and no support is taken away. That is repeated, each time where it allows
// the fewest new pairs, until the tables are small.
#pragma once

#include <optional>

#include "resolver/counting/exact.hpp"

namespace stackx::resolver {

// Nothing where time is up. Takes about as long as counting `entries` entries.
std::optional<BigInt> upper_bound(Network network, double entries, const Budget& budget);

}  // namespace stackx::resolver
