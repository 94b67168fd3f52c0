// The nearest that is found by asking otherwise: on the usual index, or one of two demands that exclude each other.
#pragma once

#include <vector>

#include "advisor/check/check.hpp"
#include "advisor/check/contradiction.hpp"

namespace stackx::advisor {

// What is asked for instead, where that runs; else the nearest to it.
std::vector<Nearest> nearest_without(const Contradiction& clash, const Ask& ask);

// Where the index that is named has no build that runs and the usual one has, nothing else need change; where what fails is no
// package of PyTorch's, the index need not. `nearest`: on the index that is named.
std::vector<Nearest> nearest_of_indexes(Question question, std::vector<Nearest> nearest, const Ask& ask);

}  // namespace stackx::advisor
