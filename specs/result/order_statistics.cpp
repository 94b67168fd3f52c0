#include "specs/result/order_statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace stackx::specs {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("statistics of no values");
  std::vector<double> result(values.begin(), values.end());
  std::ranges::sort(result);
  return result;
}

double quantile_of_sorted(const std::vector<double>& values, double p) {
  if (!(p >= 0 && p <= 1)) throw std::invalid_argument("quantile outside 0..1");
  const double position = p * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const auto above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], position - static_cast<double>(below));
}

// Whether a tail beyond x(k+1) .. is small enough for a two-sided error of 1 - confidence. The
// tails are dyadic fractions and levels like 0.05 are not: a relative 1e-9 keeps rounding from
// deciding.
bool small_enough(double tail, double confidence) {
  return 2 * tail <= (1 - confidence) * (1 + 1e-9);
}

}  // namespace

double fair_cdf(std::ptrdiff_t k, std::size_t n) {
  if (k < 0) return 0;
  if (static_cast<std::size_t>(k) >= n) return 1;
  return boost::math::cdf(boost::math::binomial(static_cast<double>(n), 0.5),
                          static_cast<double>(k));
}

double quantile(std::span<const double> values, double p) {
  return quantile_of_sorted(sorted(values), p);
}

// As quantile(values, 0.5), without sorting: the bootstrap asks for some thousand medians.
double median(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("statistics of no values");
  std::vector<double> parts(values.begin(), values.end());
  const auto middle = parts.begin() + static_cast<std::ptrdiff_t>(parts.size() / 2);
  std::ranges::nth_element(parts, middle);
  if (parts.size() % 2 == 1) return *middle;
  return std::lerp(*std::max_element(parts.begin(), middle), *middle, 0.5);
}

double mean(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("statistics of no values");
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<double> standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  const double center = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - center) * (value - center);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

std::optional<double> cv(std::span<const double> values) {
  const std::optional<double> deviation = standard_deviation(values);
  if (!deviation || mean(values) == 0) return std::nullopt;
  return *deviation / std::abs(mean(values));
}

std::optional<Interval> median_interval(std::span<const double> values, double confidence) {
  const std::vector<double> order = sorted(values);
  const auto ranks = median_ranks(order.size(), confidence);
  if (!ranks) return std::nullopt;
  return Interval{order[ranks->low], order[ranks->high], ranks->coverage};
}

std::optional<MedianRanks> median_ranks(std::size_t n, double confidence) {
  // [order[k], order[n-1-k]] misses the median with probability 2 P(B <= k). The quantile may be one
  // off where the level falls on a step, so the last steps are taken one by one.
  const boost::math::binomial coins(static_cast<double>(n), 0.5);
  auto k = static_cast<std::ptrdiff_t>(boost::math::quantile(coins, (1 - confidence) / 2)) - 2;
  k = std::max<std::ptrdiff_t>(k, -1);
  while (2 * (k + 1) < static_cast<std::ptrdiff_t>(n) - 1 &&
         small_enough(fair_cdf(k + 1, n), confidence))
    ++k;
  if (k < 0) return std::nullopt;
  const auto index = static_cast<std::size_t>(k);
  return MedianRanks{index, n - 1 - index, 1 - 2 * fair_cdf(k, n)};
}

std::size_t least_values(double confidence) {
  std::size_t n = 2;
  while (!small_enough(fair_cdf(0, n), confidence) && n < 1000) ++n;
  return n;
}

}  // namespace stackx::specs
