#include "analysis/statistics/sentinels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace stackx::analysis {
namespace {

constexpr std::size_t few = 4;  // tests that get a line each

std::string percent(double ratio) { return fmt::format("{:+.1f}%", 100 * (ratio - 1)); }

Interval of_ratio(const Interval& logs) {
  return {std::exp(logs.low), std::exp(logs.high), logs.coverage};
}

SentinelTest test(const StackRates& sentinel, const StackRates& original, double delta,
                  double confidence) {
  SentinelTest result;
  result.campaign = std::get<0>(sentinel.values.front().slot);
  result.arm = sentinel.values.front().measurement->arm;
  result.stack = sentinel.stack;
  const std::vector<double> logs = paired_logs(sentinel, original);
  result.pairs = logs.size();
  if (logs.empty()) return result;
  result.ratio = std::exp(median(logs));
  if (const auto interval = median_interval(logs, confidence))
    result.interval = of_ratio(*interval);
  const double band = std::log1p(delta);
  result.different = sign_test_outside(logs, -band, band) <= 1 - confidence;
  return result;
}

// One for each campaign and name: a stack may be the sentinel of several.
std::map<std::pair<std::string, std::string>, StackRates> by_arm(const StackRates& sentinel) {
  std::map<std::pair<std::string, std::string>, StackRates> arms;
  for (const Value& value : sentinel.values) {
    StackRates& arm = arms[{std::get<0>(value.slot), value.measurement->arm}];
    arm.stack = sentinel.stack;
    arm.values.push_back(value);
  }
  return arms;
}

}  // namespace

Sentinels sentinels(const Rates& rates, double delta, double confidence) {
  Sentinels result;
  for (const StackRates& sentinel : rates.sentinels) {
    const auto original = std::ranges::find(rates.stacks, sentinel.stack, &StackRates::stack);
    if (original == rates.stacks.end()) continue;
    for (const auto& [name, arm] : by_arm(sentinel)) {
      SentinelTest found = test(arm, *original, delta, confidence);
      if (found.pairs > 0) result.tests.push_back(std::move(found));
    }
  }
  std::ranges::sort(result.tests, {},
                    [](const SentinelTest& test) { return std::tie(test.campaign, test.arm); });
  for (const SentinelTest& test : result.tests) {
    result.able += test.interval.has_value();
    result.different += test.different;
  }
  if (result.able > 0) result.rate = clopper_pearson(result.different, result.able, confidence);
  return result;
}

std::vector<std::string> lines(const Sentinels& sentinels, double confidence) {
  std::vector<std::string> result;
  if (sentinels.tests.size() <= few)
    for (const SentinelTest& test : sentinels.tests)
      result.push_back(fmt::format(
          "sentinel: stack {} under two names differs by {} {}, n={} pairs", test.stack.short_id(),
          percent(test.ratio),
          test.interval
              ? fmt::format("[{}, {}]", percent(test.interval->low), percent(test.interval->high))
              : fmt::format("(no interval below {} pairs)", least_values(confidence)),
          test.pairs));
  if (sentinels.rate)
    result.push_back(fmt::format(
        "sentinels called different: {} of {}, {:.1f}% [{:.1f}%, {:.1f}%] (one stack under two "
        "names; {:g}% are expected at most)",
        sentinels.different, sentinels.able,
        100.0 * static_cast<double>(sentinels.different) / static_cast<double>(sentinels.able),
        100 * sentinels.rate->low, 100 * sentinels.rate->high, 100 * (1 - confidence)));
  else if (!sentinels.tests.empty())
    result.push_back(
        fmt::format("no sentinel has the {} pairs that a test needs", least_values(confidence)));
  return result;
}

}  // namespace stackx::analysis
