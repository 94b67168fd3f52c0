#include "peer_rules.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <iostream>
#include <stdexcept>
#include <vector>

#include "analysis/statistics/statistics.hpp"

namespace stackx::bench {
namespace {

using analysis::mean;

double variance(std::span<const double> values) {
  return std::pow(*analysis::standard_deviation(values), 2);
}

double t_quantile(double freedom) {
  return boost::math::quantile(boost::math::students_t(freedom), 0.975);
}

// How often a value of `a` exceeds one of `b`; no ties in continuous values.
double mann_whitney_u(std::span<const double> a, std::span<const double> b) {
  std::vector<std::pair<double, bool>> all;
  for (const double value : a) all.emplace_back(value, true);
  for (const double value : b) all.emplace_back(value, false);
  std::ranges::sort(all);
  double below = 0, u = 0;
  for (const auto& [value, of_a] : all) of_a ? u += below : ++below;
  return u;
}

}  // namespace

bool welch_differs(std::span<const double> a, std::span<const double> b) {
  const double n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  const double of_a = variance(a) / n, of_b = variance(b) / m;
  const double freedom = std::pow(of_a + of_b, 2) / (of_a * of_a / (n - 1) + of_b * of_b / (m - 1));
  return std::abs(mean(a) - mean(b)) / std::sqrt(of_a + of_b) >= t_quantile(freedom);
}

bool pyperf_differs(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return true;  // "ValueError: different number of values"
  const double n = static_cast<double>(a.size()), freedom = 2 * n - 2;
  const double pooled = (variance(a) + variance(b)) / 2;
  // Its table of critical values is coarse above 30 degrees of freedom; from 200 on it says 1.96.
  const double critical = freedom >= 200   ? 1.96
                          : freedom >= 100 ? 1.984
                          : freedom >= 80  ? 1.99
                          : freedom >= 60  ? 2.0
                          : freedom >= 50  ? 2.009
                          : freedom >= 40  ? 2.021
                                           : t_quantile(freedom);
  return std::abs(mean(a) - mean(b)) / std::sqrt(2 * pooled / n) >= critical;
}

bool asv_differs(std::span<const double> a, std::span<const double> b) {
  const double n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  if (std::max(n, m) <= 20)
    throw std::invalid_argument("asv's rule below 21 samples is not written here");
  const double u = mann_whitney_u(a, b), least = std::min(u, n * m - u);
  const double z = (least - n * m / 2) / std::sqrt(n * m * (n + m + 1) / 12);
  return std::erfc(-z / std::sqrt(2.0)) < 0.002;
}

void answer_rules() {
  std::size_t n = 0, m = 0;
  while (std::cin >> n >> m) {
    std::vector<double> a(n), b(m);
    for (double& value : a) std::cin >> value;
    for (double& value : b) std::cin >> value;
    std::cout << welch_differs(a, b) << ' ' << pyperf_differs(a, b) << ' ' << asv_differs(a, b)
              << '\n';
  }
}

}  // namespace stackx::bench
