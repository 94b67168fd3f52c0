#include "analysis/statistics/rank_sum.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace stackx::analysis {
namespace {

constexpr std::size_t most_values = 60;  // the table takes their fourth power

// The probabilities of U = 0, 1, ... n*m, by the largest of all values: it is one of the n with
// probability n / (n + m), and then exceeds all m. No term is negative, so nothing cancels.
std::vector<double> rank_sum_probabilities(std::size_t n, std::size_t m) {
  std::vector<std::vector<double>> row(m + 1, std::vector<double>{1.0});  // of 0 values against j
  for (std::size_t i = 1; i <= n; ++i) {
    std::vector<std::vector<double>> next(m + 1);
    next[0] = {1.0};
    for (std::size_t j = 1; j <= m; ++j) {
      const double share = static_cast<double>(i) / static_cast<double>(i + j);
      next[j].assign(i * j + 1, 0.0);
      for (std::size_t u = 0; u < row[j].size(); ++u) next[j][u + j] += share * row[j][u];
      for (std::size_t u = 0; u < next[j - 1].size(); ++u)
        next[j][u] += (1 - share) * next[j - 1][u];
    }
    row = std::move(next);
  }
  return row[m];
}

}  // namespace

double rank_sum_cdf(std::size_t u, std::size_t n, std::size_t m) {
  const std::vector<double> p = rank_sum_probabilities(n, m);
  double sum = 0;
  for (std::size_t i = 0; i <= std::min(u, p.size() - 1); ++i) sum += p[i];
  return std::clamp(sum, 0.0, 1.0);
}

Shift shift_between(std::span<const double> a, std::span<const double> b, double confidence) {
  if (a.empty() || b.empty() || a.size() > most_values || b.size() > most_values)
    throw std::invalid_argument("shift_between: 1 to 60 values a side");
  std::vector<double> differences;
  for (const double x : a)
    for (const double y : b) differences.push_back(y - x);
  std::ranges::sort(differences);
  Shift shift;
  shift.estimate = median(differences);
  const std::vector<double> p = rank_sum_probabilities(a.size(), b.size());
  // The interval from the k-th smallest to the k-th largest difference covers 1 - 2 P(U < k).
  double below = 0;
  std::size_t k = 0;
  for (; k < differences.size() / 2 && 2 * (below + p[k]) <= 1 - confidence; ++k) below += p[k];
  if (k > 0)
    shift.interval = {differences[k - 1], differences[differences.size() - k], 1 - 2 * below};
  return shift;
}

}  // namespace stackx::analysis
