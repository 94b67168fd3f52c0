// The statistics of DESIGN section 6 that need no model: order statistics, the sign test, Holm's
// correction.
//
// Everything here is exact for what it states: intervals come from the binomial distribution, not
// from normal approximations, and say which coverage they attain. Values are one per inspection;
// samples of one process are never passed in as if independent. Values must be finite; an empty
// sequence is std::invalid_argument. Rejected: Student's t (assumes a shape that run times do not
// have), the bootstrap for few values (undercovers below about 15).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "specs/result/order_statistics.hpp"

namespace stackx::analysis {

using specs::cv;
using specs::fair_cdf;
using specs::Interval;
using specs::least_values;
using specs::mean;
using specs::median;
using specs::median_interval;
using specs::quantile;
using specs::standard_deviation;

double mad(
    std::span<const double> values);  // median absolute deviation from the median, not scaled
// Scaled so that it is the standard deviation of normal values.
double scaled_mad(std::span<const double> values);

// Exact two-sided sign test of "the median is in [low, high]": twice the smaller binomial tail of
// the values that lie strictly beyond the nearer edge, at most 1. It is the dual of
// median_interval: p <= 1 - c exactly where the interval of confidence c excludes [low, high].
double sign_test_outside(std::span<const double> values, double low, double high);

// The dual for equivalence (two one-sided tests, doubled): p <= 1 - c exactly where the interval of
// confidence c lies strictly inside (low, high).
double sign_test_inside(std::span<const double> values, double low, double high);

// What both come to: twice the probability of at most `against` heads in n tosses, at most 1.
double two_sided_sign_test(std::size_t against, std::size_t n);

// Clopper and Pearson's exact interval of a share: `successes` of `trials`, at least one trial.
Interval clopper_pearson(std::size_t successes, std::size_t trials, double confidence);

// Holm's step-down procedure (1979): holds the family-wise error at `alpha` under any dependence.
struct Holm {
  std::vector<bool> rejected;  // in the order of the p-values given
  std::vector<double> level;   // at which each was decided: alpha / (m - steps before it); what
                               // stopped the procedure is the level of all that were not rejected
};
Holm holm(std::span<const double> p_values, double alpha);

}  // namespace stackx::analysis
