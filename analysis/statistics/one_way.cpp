#include "analysis/statistics/one_way.hpp"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>

#include "analysis/statistics/statistics.hpp"

namespace stackx::analysis {

double sum_of_squares(const std::vector<double>& values) {
  const double center = values.empty() ? 0 : mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - center) * (value - center);
  return sum;
}

std::optional<OneWay> one_way(const std::vector<std::vector<double>>& groups) {
  std::vector<double> all;
  double count = 0, squares_within = 0, squared_sizes = 0;
  for (const auto& values : groups) {
    if (values.empty()) continue;
    all.insert(all.end(), values.begin(), values.end());
    squares_within += sum_of_squares(values);
    squared_sizes += static_cast<double>(values.size()) * static_cast<double>(values.size());
    ++count;
  }
  const double n = static_cast<double>(all.size()), freedom = n - count;
  if (count < 2 || freedom <= 0 || squares_within <= 0) return std::nullopt;
  OneWay result;
  result.within = squares_within / freedom;
  const double of_groups = std::max(0.0, sum_of_squares(all) - squares_within) / (count - 1);
  result.between = (of_groups - result.within) / ((n - squared_sizes / n) / (count - 1));
  result.p = boost::math::cdf(complement(boost::math::fisher_f(count - 1, freedom), of_groups / result.within));
  return result;
}

}  // namespace stackx::analysis
