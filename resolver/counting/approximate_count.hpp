// About how many stacks a problem has whose tables do not fit into memory, by way of an easier one.
//
// Demands between two components of the table that is too large are weakened: any version will do.
// That is repeated until the tables fit. Every stack of the problem is one of the easier problem
// (who needs whom is the same there), whose stacks can be counted and drawn exactly and uniformly;
// so the share of draws that meet the weakened demands too estimates the number of stacks, with an
// exact binomial interval. Which demands to weaken: those that most pairs of versions meet anyway,
// for the classes of versions that they cost.
//
// Hashing (sat/count.hpp) takes over where no draw at all meets the demands and there are few enough
// stacks for it. Rejected: hashing alone, which needs hours where there are 10^20 stacks; walking at
// random through what SAT allows, weighted (Knuth 1975), whose variance, and so error, is unbounded.
#pragma once

#include "resolver/problem.hpp"

namespace stackx::resolver {

// `bytes` for the tables of the easier problem; takes up to a million draws, a minute or two. Where
// not one of them is a stack, and hashing would take too long, the estimate is the upper bound. The
// same for the same seed on every machine.
ApproximateCount approximate_count(const Problem& problem, std::uint64_t seed,
                                   std::size_t bytes = std::size_t{1} << 30);

}  // namespace stackx::resolver
