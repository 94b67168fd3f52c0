// The slope of a line through a cloud, by ranks: the median of the slopes of all pairs (Theil 1950,
// Sen 1968), with the interval that inverts Kendall's test of no trend. Nothing is assumed of the
// shape of the noise; up to 29% of the values may be wild.
//
// Pairs with equal x say nothing and are left out; ties widen nothing and narrow Kendall's variance
// as in Sen's equation 2.6. The normal approximation of Kendall's statistic is close from ten
// values on; there is no interval below. Rejected: least squares (one inspection that the machine
// forgot for a second decides it); rank correlation alone (says that, not how much).
#pragma once

#include <optional>
#include <span>

#include "analysis/statistics/statistics.hpp"

namespace stackx::analysis {

struct Slope {
  double slope = 0;  // of y per unit of x
  std::optional<Interval> interval;
  std::size_t n = 0;
};

// x and y equally long and finite (else std::invalid_argument); nothing if all x are equal.
// `lost` is the number of values that fitting something else first has used up: the interval is
// widened by sqrt(n / (n - lost)), and there is none where fewer than ten are left.
std::optional<Slope> theil_sen(std::span<const double> x, std::span<const double> y,
                               double confidence, std::size_t lost = 0);

}  // namespace stackx::analysis
