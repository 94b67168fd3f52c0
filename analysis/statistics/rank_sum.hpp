// Two independent samples compared without assuming a distribution: Hodges and Lehmann's estimate
// of the shift between them, with the interval that is dual to the exact Mann-Whitney (Wilcoxon
// rank-sum) test. What it assumes: the runs are independent, and the two distributions differ by a
// shift (of logs: by a factor). Exact counts, no normal approximation; 1 to 60 values a side.
#pragma once

#include <optional>
#include <span>

#include "analysis/statistics/statistics.hpp"

namespace stackx::analysis {

struct Shift {
  double estimate = 0;               // median of all differences b - a
  std::optional<Interval> interval;  // absent where even the widest covers less than asked for
};
// Values must be finite, neither sequence empty.
Shift shift_between(std::span<const double> a, std::span<const double> b, double confidence);

// P(U <= u) of Mann and Whitney's U of n and m values from one continuous distribution.
double rank_sum_cdf(std::size_t u, std::size_t n, std::size_t m);

}  // namespace stackx::analysis
