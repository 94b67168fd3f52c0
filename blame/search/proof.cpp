#include "blame/search/proof.hpp"

#include <cmath>

#include "analysis/statistics/statistics.hpp"

namespace stackx::blame {

std::vector<Effect> judge(const Rounds& rounds, std::size_t first, const std::vector<Claim>& claims, double delta, double alpha) {
  const double edge = std::log1p(delta);
  std::vector<Effect> result;
  std::vector<double> p_values;
  for (const auto& claim : claims) {
    const auto logs = rounds.logs(claim.without, claim.with, first);
    auto& effect = result.emplace_back();
    effect.rounds = logs.size();
    p_values.push_back(logs.empty() ? 1 : analysis::sign_test_outside(logs, -edge, edge));
    if (logs.empty()) continue;
    effect.log = analysis::median(logs);
    effect.interval = analysis::median_interval(logs, 1 - alpha / static_cast<double>(claims.size()));
  }
  if (claims.empty()) return result;
  const auto decided = analysis::holm(p_values, alpha);
  for (std::size_t i = 0; i < claims.size(); ++i) result[i].shown = decided.rejected[i];
  return result;
}

std::size_t fewest_rounds(std::size_t claims, double alpha) {
  return analysis::least_values(1 - alpha / static_cast<double>(std::max<std::size_t>(claims, 1)));
}

}  // namespace stackx::blame
