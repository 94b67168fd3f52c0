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

namespace stackx::analysis {

struct Interval {
  double low = 0, high = 0;
  double coverage = 0;  // attained, e.g. 0.969 where 0.95 was asked of six values
};

// Quantile of type 7 (Hyndman & Fan 1996; the default of R and NumPy): linear between order
// statistics, 0 <= p <= 1.
double quantile(std::span<const double> values, double p);
double median(std::span<const double> values);
double mad(
    std::span<const double> values);  // median absolute deviation from the median, not scaled
// Scaled so that it is the standard deviation of normal values.
double scaled_mad(std::span<const double> values);
double mean(std::span<const double> values);
std::optional<double> standard_deviation(
    std::span<const double> values);  // n - 1; none below two values
std::optional<double> cv(
    std::span<const double> values);  // standard deviation / |mean|; none if the mean is 0

// The symmetric order-statistic interval [x(k), x(n+1-k)] of the median with the largest k whose
// coverage reaches `confidence`; none while even [x(1), x(n)] falls short (n < 6 at 95%). Holds for
// every continuous distribution, and covers at least as often for others.
std::optional<Interval> median_interval(std::span<const double> values, double confidence);

// The fewest values for which median_interval is bounded.
std::size_t least_values(double confidence);

// Exact two-sided sign test of "the median is in [low, high]": twice the smaller binomial tail of
// the values that lie strictly beyond the nearer edge, at most 1. It is the dual of
// median_interval: p <= 1 - c exactly where the interval of confidence c excludes [low, high].
double sign_test_outside(std::span<const double> values, double low, double high);

// The dual for equivalence (two one-sided tests, doubled): p <= 1 - c exactly where the interval of
// confidence c lies strictly inside (low, high).
double sign_test_inside(std::span<const double> values, double low, double high);

// Holm's step-down procedure (1979): holds the family-wise error at `alpha` under any dependence.
struct Holm {
  std::vector<bool> rejected;  // in the order of the p-values given
  std::vector<double> level;   // at which each was decided: alpha / (m - steps before it); what
                               // stopped the procedure is the level of all that were not rejected
};
Holm holm(std::span<const double> p_values, double alpha);

}  // namespace stackx::analysis
