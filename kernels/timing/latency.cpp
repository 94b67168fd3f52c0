#include "kernels/timing/latency.hpp"

#include <cmath>

namespace stackx::kernels {
namespace {

// log P(X = x), X binomial(n, q).
double log_probability(std::size_t x, std::size_t n, double q) {
  const auto of = static_cast<double>(n), k = static_cast<double>(x);
  return std::lgamma(of + 1) - std::lgamma(k + 1) - std::lgamma(of - k + 1) + k * std::log(q) +
         (of - k) * std::log1p(-q);
}

bool proves(std::size_t queries, std::size_t late, double fraction, double confidence) {
  const auto most = most_late(queries, fraction, confidence);
  return most && late <= *most;
}

}  // namespace

std::int64_t percentile_of(const std::vector<std::int64_t>& sorted, double fraction) {
  return sorted[static_cast<std::size_t>(static_cast<double>(sorted.size()) * fraction)];
}

std::optional<std::size_t> most_late(std::size_t queries, double fraction, double confidence) {
  std::optional<std::size_t> most;
  double sum = 0;
  for (std::size_t late = 0; late < queries; ++late) {
    sum += std::exp(log_probability(late, queries, 1 - fraction));
    if (!(sum < 1 - confidence)) break;
    most = late;
  }
  return most;
}

std::size_t least_queries(std::size_t late, double fraction, double confidence) {
  std::size_t above = late + 1;  // doubled until it proves
  while (!proves(above, late, fraction, confidence)) above *= 2;
  std::size_t least = late + 1;
  while (least < above) {
    const std::size_t middle = least + (above - least) / 2;
    if (proves(middle, late, fraction, confidence))
      above = middle;
    else
      least = middle + 1;
  }
  return least;
}

std::optional<std::int64_t> proven_percentile(const std::vector<std::int64_t>& sorted,
                                              double fraction, double confidence) {
  const auto most = most_late(sorted.size(), fraction, confidence);
  if (!most || *most == 0) return std::nullopt;
  return sorted[sorted.size() - *most];
}

}  // namespace stackx::kernels
