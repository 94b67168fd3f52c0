#include "analysis/statistics/cv_interval.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <vector>

namespace stackx::analysis {
namespace {

constexpr std::size_t least = 6;

// The mean without the share 1 / (2 sqrt(n - 4)) at either end: what the fourth powers are taken from.
double trimmed_mean(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const auto n = static_cast<double>(sorted.size());
  const auto cut = static_cast<std::size_t>(n / (2 * std::sqrt(n - 4)));
  return mean(std::span(sorted).subspan(cut, sorted.size() - 2 * cut));
}

double kurtosis(std::span<const double> values) {
  const double center = trimmed_mean(values), average = mean(values);
  double fourth = 0, squares = 0;
  for (const double value : values) {
    fourth += std::pow(value - center, 4);
    squares += std::pow(value - average, 2);
  }
  return static_cast<double>(values.size()) * fourth / (squares * squares);
}

}  // namespace

std::optional<Interval> cv_interval(std::span<const double> values, double confidence) {
  if (values.size() < least || mean(values) <= 0) return std::nullopt;
  const double deviation = standard_deviation(values).value();
  if (!(deviation > 0)) return std::nullopt;
  const auto n = static_cast<double>(values.size());
  const double z = boost::math::quantile(boost::math::normal(), (1 + confidence) / 2);
  const double c = n / (n - z);
  const double cv = deviation / mean(values);
  // Of the log variance, and of twice the log mean.
  const double error =
      std::sqrt(std::max(0.0, (kurtosis(values) - (n - 3) / n) / (n - 1)) + 4 * cv * cv / n);
  const double middle = std::sqrt(c) * cv, half = z * c * error / 2;
  return Interval{middle * std::exp(-half), middle * std::exp(half), confidence};
}

}  // namespace stackx::analysis
