#include "analysis/statistics/theil_sen.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <iterator>
#include <set>
#include <stdexcept>
#include <utility>
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

// Order statistics of many values; each that is asked for parts them, and the next is looked for in its part alone.
class Parted {
 public:
  explicit Parted(std::vector<double> values) : values_(std::move(values)), cuts_{0, values_.size()} {}

  double at(double index) { return at(static_cast<std::size_t>(std::clamp(index, 0.0, static_cast<double>(values_.size() - 1)))); }
  double median() {
    const std::size_t middle = values_.size() / 2;
    if (values_.size() % 2 == 1) return at(middle);
    const double above = at(middle);
    return std::lerp(at(middle - 1), above, 0.5);
  }

 private:
  double at(std::size_t place) {
    const auto to = cuts_.upper_bound(place);
    const auto from = std::prev(to);
    const auto begin = values_.begin();
    const auto after = [&](std::size_t i) { return begin + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(after(*from), after(place), after(*to));
    cuts_.insert({place, place + 1});
    return values_[place];
  }

  std::vector<double> values_;
  std::set<std::size_t> cuts_;  // no value before one is larger than one behind it
};

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
  const auto pairs = static_cast<double>(slopes.size()), n = static_cast<double>(x.size());
  Parted ordered(std::move(slopes));
  result.slope = ordered.median();
  if (x.size() < lost + least_for_interval) return result;
  const double z = boost::math::quantile(boost::math::normal(), (1 + confidence) / 2);
  const double width = z * kendall_deviation(x, y) * std::sqrt(n / (n - static_cast<double>(lost)));
  result.interval =
      Interval{ordered.at(std::nearbyint((pairs - width) / 2) - 1), ordered.at(std::nearbyint((pairs + width) / 2)), confidence};
  return result;
}

}  // namespace stackx::analysis
