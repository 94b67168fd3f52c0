#include "analysis/report/spread.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "analysis/statistics/statistics.hpp"
#include "specs/random.hpp"

namespace stackx::analysis {
namespace {

constexpr std::size_t draws = 25;

// 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, ... from `least` to `most`, both included.
std::vector<std::size_t> steps(std::size_t least, std::size_t most) {
  std::vector<std::size_t> result;
  for (std::size_t decade = 1; decade <= most; decade *= 10)
    for (const std::size_t tenths : {10u, 15u, 20u, 30u, 50u, 70u}) {
      const std::size_t step = decade * tenths / 10;
      if (step * 10 == decade * tenths && step >= least && step < most) result.push_back(step);
    }
  if (most >= least) result.insert(result.begin(), least);
  result.push_back(most);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return most >= least ? result : std::vector<std::size_t>{};
}

using PerStack = std::map<std::size_t, std::vector<double>>;  // repetitions -> one value a stack

std::vector<SpreadPoint> summary(const PerStack& values) {
  std::vector<SpreadPoint> result;
  for (const auto& [repetitions, of_stacks] : values)
    result.push_back({repetitions, of_stacks.size(), median(of_stacks), quantile(of_stacks, 0.25),
                      quantile(of_stacks, 0.75)});
  return result;
}

// The rate that the inspection would have had with `count` of its samples.
double rate_of_part(const store::Measurement& measurement, const std::string& unit,
                    std::size_t count, specs::Random& random) {
  const std::span<const std::int64_t> samples(measurement.samples_ns);
  const std::size_t start = random.below(samples.size() - count + 1);
  return rate_of(samples.subspan(start, count), measurement.work, unit);
}

void add_by_samples(PerStack& values, const StackRates& stack, const std::string& unit,
                    specs::Random& random) {
  if (stack.values.size() < 3) return;
  std::size_t most = stack.values.front().measurement->samples_ns.size();
  for (const Value& value : stack.values)
    most = std::min(most, value.measurement->samples_ns.size());
  for (const std::size_t count : steps(1, most)) {
    std::vector<double> spreads;
    for (std::size_t draw = 0; draw < draws; ++draw) {
      std::vector<double> rates;
      rates.reserve(stack.values.size());
      for (const Value& value : stack.values)
        rates.push_back(rate_of_part(*value.measurement, unit, count, random));
      if (const auto one = cv(rates)) spreads.push_back(*one);
    }
    if (!spreads.empty()) values[count].push_back(median(spreads));
  }
}

void add_by_inspections(PerStack& values, const StackRates& stack, double confidence,
                        specs::Random& random) {
  std::vector<double> all = rates(stack);
  for (const std::size_t count : steps(least_values(confidence), all.size())) {
    std::vector<double> widths;
    for (std::size_t draw = 0; draw < draws; ++draw) {
      for (std::size_t i = 0; i < count; ++i)
        std::swap(all[i], all[i + random.below(all.size() - i)]);
      const std::span<const double> part(all.data(), count);
      const auto interval = median_interval(part, confidence);
      if (interval) widths.push_back((interval->high - interval->low) / median(part));
    }
    if (!widths.empty()) values[count].push_back(median(widths));
  }
}

}  // namespace

Spread spread(const std::vector<StackRates>& stacks, const std::string& unit, double confidence,
              std::uint64_t seed) {
  PerStack by_samples, by_inspections;
  for (const StackRates& stack : stacks) {
    // A stream for each stack: another stack in the report changes nothing for this one.
    const std::string id = stack.stack.id();
    specs::Random random(specs::derive_seed(seed, id));
    add_by_samples(by_samples, stack, unit, random);
    add_by_inspections(by_inspections, stack, confidence, random);
  }
  return {summary(by_samples), summary(by_inspections), draws, seed};
}

}  // namespace stackx::analysis
