// What to run next so that the rates of all arms become predictable: `--strategy learn`.
//
// The model of effects (additive_model.hpp) as a Gaussian one: an arm's log rate is an intercept, the
// effects of its versions (normal, mean 0), a deviation of its own (what interacts), and the noise of
// each inspection. How sure a prediction is depends on the variances and on what was run, not on the
// rates: taken is, one after the other, the arm whose rate is predicted with the largest variance
// (greedy D-optimal design). After each pick the covariance is updated as if it had run, so that a
// batch holds no near-copies. The variances come from the rates where there are enough of them, else
// from what is common: effects of 30%, interactions and noise of 3%.
//
// Simulated (tests/analysis/effects/test_learn.cpp): random picking needs 1.3 times the inspections for
// the same error of prediction where versions are equally common among the arms, 1.6 times where most
// arms hold the same few. Rejected: the arm that lowers the summed variance of all predictions most
// (I-optimal; Cohn, Ghahramani & Jordan 1996): 1.2 and 1.5 times there, and more to compute.
#pragma once

#include <cstddef>
#include <vector>

#include "specs/catalog/stack.hpp"

namespace stackx::analysis {

// Places of `batch` different arms (all of them, if there are fewer), in the order in which they were
// picked. `log_rates` has for each arm those of its inspections so far, perhaps none. Of arms that
// teach the same the one that ran less often comes first, then the first. Deterministic.
std::vector<std::size_t> next_batch(const std::vector<specs::Stack>& arms,
                                    const std::vector<std::vector<double>>& log_rates,
                                    std::size_t batch);

}  // namespace stackx::analysis
