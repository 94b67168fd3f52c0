// Order statistics and spread of independent values, one per inspection.
//
// Exact for what it states: intervals come from the binomial distribution, not from normal
// approximations, and say which coverage they attain. Values must be finite; an empty sequence is
// std::invalid_argument. Here and not in analysis, because the store keeps these sums (series) and
// analysis compares with them: one definition of a median and its interval.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace stackx::specs {

struct Interval {
  double low = 0, high = 0;
  double coverage = 0;  // attained, e.g. 0.969 where 0.95 was asked of six values
};

// Quantile of type 7 (Hyndman & Fan 1996; the default of R and NumPy): linear between order
// statistics, 0 <= p <= 1.
double quantile(std::span<const double> values, double p);
double median(std::span<const double> values);
double mean(std::span<const double> values);
std::optional<double> standard_deviation(
    std::span<const double> values);  // n - 1; none below two values
std::optional<double> cv(
    std::span<const double> values);  // standard deviation / |mean|; none if the mean is 0

// The symmetric order-statistic interval [x(k), x(n+1-k)] of the median with the largest k whose
// coverage reaches `confidence`; none while even [x(1), x(n)] falls short (n < 6 at 95%). Holds for
// every continuous distribution, and covers at least as often for others.
std::optional<Interval> median_interval(std::span<const double> values, double confidence);

// Which of n values in ascending order, counted from 0, bound it; for many samples of one size.
struct MedianRanks {
  std::size_t low = 0, high = 0;
  double coverage = 0;
};
std::optional<MedianRanks> median_ranks(std::size_t n, double confidence);

// The fewest values for which median_interval is bounded.
std::size_t least_values(double confidence);

// P(B <= k), B the number of heads in n tosses of a fair coin.
double fair_cdf(std::ptrdiff_t k, std::size_t n);

}  // namespace stackx::specs
