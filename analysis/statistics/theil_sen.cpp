#include "analysis/statistics/theil_sen.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace stackx::analysis {
namespace {

constexpr std::size_t least_for_interval = 10;

std::vector<double> slopes_of_pairs(std::span<const double> x, std::span<const double> y) {
  std::vector<double> slopes;
  slopes.reserve(x.size() * (x.size() - 1) / 2);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = i + 1; j < x.size(); ++j)
      if (x[i] != x[j]) slopes.push_back((y[j] - y[i]) / (x[j] - x[i]));
  return slopes;
}

// 18 times what ties take from the variance of Kendall's statistic.
double tie_term(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  double term = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    const auto end = std::upper_bound(sorted.begin(), sorted.end(), sorted[i]) - sorted.begin();
    const auto k = static_cast<double>(static_cast<std::size_t>(end) - i);
    if (k > 1) term += k * (k - 1) * (2 * k + 5);
    i = static_cast<std::size_t>(end);
  }
  return term;
}

// Sen 1968, equation 2.6.
double kendall_deviation(std::span<const double> x, std::span<const double> y) {
  const auto n = static_cast<double>(x.size());
  const double variance = (n * (n - 1) * (2 * n + 5) - tie_term(x) - tie_term(y)) / 18;
  return std::sqrt(std::max(variance, 0.0));
}

double order_statistic(std::vector<double>& values, double index) {
  const double last = static_cast<double>(values.size() - 1);
  const auto at = static_cast<std::ptrdiff_t>(std::clamp(index, 0.0, last));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

}  // namespace

std::optional<Slope> theil_sen(std::span<const double> x, std::span<const double> y,
                               double confidence, std::size_t lost) {
  const auto finite = [](double value) { return std::isfinite(value); };
  if (x.size() != y.size() || !std::ranges::all_of(x, finite) || !std::ranges::all_of(y, finite))
    throw std::invalid_argument("theil_sen: x and y must be finite and equally many");
  auto slopes = slopes_of_pairs(x, y);
  if (slopes.empty()) return std::nullopt;
  Slope result;
  result.n = x.size();
  result.slope = median(slopes);
  if (x.size() < lost + least_for_interval) return result;
  const double z = boost::math::quantile(boost::math::normal(), (1 + confidence) / 2);
  const auto pairs = static_cast<double>(slopes.size()), n = static_cast<double>(x.size());
  const double width = z * kendall_deviation(x, y) * std::sqrt(n / (n - static_cast<double>(lost)));
  result.interval =
      Interval{order_statistic(slopes, std::nearbyint((pairs - width) / 2) - 1),
               order_statistic(slopes, std::nearbyint((pairs + width) / 2)), confidence};
  return result;
}

}  // namespace stackx::analysis
