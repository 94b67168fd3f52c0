#include "analysis/ranking/precision.hpp"

#include <cmath>

#include "analysis/statistics/statistics.hpp"

namespace stackx::analysis {
namespace {

bool is_look(std::size_t values) {
  double look = 8;
  while (look < static_cast<double>(values)) look = std::ceil(look * 1.25);
  return look == static_cast<double>(values);
}

}  // namespace

std::vector<std::size_t> unsettled(const Table& log_rates, double width, double confidence) {
  std::vector<std::size_t> result;
  for (std::size_t arm = 0; arm < log_rates.size(); ++arm) {
    std::vector<double> rates;
    for (const auto& value : log_rates[arm])
      if (value) rates.push_back(std::exp(*value));
    if (rates.empty()) {
      if (log_rates[arm].size() < 2) result.push_back(arm);
      continue;
    }
    const auto interval = median_interval(rates, confidence);
    if (!interval || !is_look(rates.size()) ||
        (interval->high - interval->low) / median(rates) > width)
      result.push_back(arm);
  }
  return result;
}

}  // namespace stackx::analysis
