// Why a problem has no stack: a set of clauses that has none either, though leaving out any one of
// them gives one.
//
// Found by QuickXplain (Junker 2004): halve the clauses and keep what the other half needs, a few
// dozen solver calls for a clash among thousands of clauses instead of one for each. It is sound
// because leaving out clauses never makes a problem unsolvable (resolver.hpp).
#pragma once

#include "resolver/problem.hpp"

namespace stackx::resolver {

std::optional<Unsolvable> explain(const Problem& problem);

}  // namespace stackx::resolver
