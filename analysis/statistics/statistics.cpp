#include "analysis/statistics/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <numeric>

namespace stackx::analysis {
namespace {

template <typename Predicate>
std::size_t count(std::span<const double> values, Predicate predicate) {
  return static_cast<std::size_t>(std::ranges::count_if(values, predicate));
}

}  // namespace

double mad(std::span<const double> values) {
  const double center = median(values);
  std::vector<double> deviations;
  for (const double value : values) deviations.push_back(std::abs(value - center));
  return median(deviations);
}

double scaled_mad(std::span<const double> values) { return 1.4826 * mad(values); }

double sign_test_outside(std::span<const double> values, double low, double high) {
  const std::size_t n = values.size();
  // Against "the median is above the band": values not above it; and the other way round.
  const std::size_t not_above = count(values, [&](double v) { return v <= high; });
  const std::size_t not_below = count(values, [&](double v) { return v >= low; });
  return two_sided_sign_test(std::min(not_above, not_below), n);
}

double sign_test_inside(std::span<const double> values, double low, double high) {
  const std::size_t at_or_above = count(values, [&](double v) { return v >= high; });
  const std::size_t at_or_below = count(values, [&](double v) { return v <= low; });
  return two_sided_sign_test(std::max(at_or_above, at_or_below), values.size());
}

double two_sided_sign_test(std::size_t against, std::size_t n) {
  return std::min(1.0, 2 * fair_cdf(static_cast<std::ptrdiff_t>(against), n));
}

Interval clopper_pearson(std::size_t successes, std::size_t trials, double confidence) {
  using Binomial = boost::math::binomial_distribution<>;
  const double n = static_cast<double>(trials), k = static_cast<double>(successes);
  const double tail = (1 - confidence) / 2;
  return {Binomial::find_lower_bound_on_p(n, k, tail), Binomial::find_upper_bound_on_p(n, k, tail),
          confidence};
}

Holm holm(std::span<const double> p_values, double alpha) {
  const std::size_t m = p_values.size();
  std::vector<std::size_t> order(m);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p_values[i]; });
  Holm result{std::vector<bool>(m, false), std::vector<double>(m, alpha)};
  double level = alpha;
  bool going = true;
  for (std::size_t step = 0; step < m; ++step) {
    const std::size_t i = order[step];
    if (going) level = alpha / static_cast<double>(m - step);
    going = going && p_values[i] <= level * (1 + 1e-9);
    result.rejected[i] = going;
    result.level[i] = level;
  }
  return result;
}

}  // namespace stackx::analysis
