#include "analysis/report/spread.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>

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

// An inspection's samples, sorted once: of the medians of its parts, hundreds are asked for.
class Parts {
 public:
  Parts(const store::Measurement& measurement, const std::string& unit)
      : samples_(measurement.samples_ns), work_(work_in(measurement.work, unit)), order_(samples_.size()) {
    std::iota(order_.begin(), order_.end(), 0U);
    std::ranges::sort(order_, {}, [&](std::uint32_t at) { return samples_[at]; });
  }

  std::size_t size() const { return samples_.size(); }

  // The rate that the inspection would have had with `count` of its samples: rate_of() of these.
  double rate(std::size_t start, std::size_t count) const {
    std::size_t place = 0;
    const auto pass = [&](std::size_t of_the_part) {  // the rate of the last of them
      for (; of_the_part > 0; ++place) of_the_part -= order_[place] - start < count;
      return work_ / static_cast<double>(samples_[order_[place - 1]]);
    };
    if (count % 2 == 1) return pass(count / 2 + 1);
    const double above = pass(count / 2);
    return std::lerp(pass(1), above, 0.5);
  }

 private:
  std::span<const std::int64_t> samples_;
  double work_;
  std::vector<std::uint32_t> order_;  // from the shortest
};

void add_by_samples(PerStack& values, const StackRates& stack, const std::string& unit,
                    specs::Random& random) {
  if (stack.values.size() < 3) return;
  std::vector<Parts> inspections;
  for (const Value& value : stack.values) inspections.emplace_back(*value.measurement, unit);
  const std::size_t most = std::ranges::min_element(inspections, {}, &Parts::size)->size();
  std::vector<double> rates(inspections.size());
  for (const std::size_t count : steps(1, most)) {
    std::vector<double> spreads;
    for (std::size_t draw = 0; draw < draws; ++draw) {
      std::ranges::transform(inspections, rates.begin(), [&](const Parts& parts) {
        return parts.rate(random.below(parts.size() - count + 1), count);
      });
      if (const auto one = cv(rates)) spreads.push_back(*one);
    }
    if (!spreads.empty()) values[count].push_back(median(spreads));
  }
}

// Of which values of a sample the interval is; a report asks for few sizes, a thousand times each.
class Ranks {
 public:
  explicit Ranks(double confidence) : confidence_(confidence), least_(least_values(confidence)) {}
  std::size_t least() const { return least_; }
  const std::optional<specs::MedianRanks>& of(std::size_t n) {
    const auto [known, is_new] = known_.try_emplace(n);
    if (is_new) known->second = specs::median_ranks(n, confidence_);
    return known->second;
  }

 private:
  double confidence_;
  std::size_t least_;
  std::map<std::size_t, std::optional<specs::MedianRanks>> known_;
};

double median_of_sorted(std::span<const double> values) {
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : std::lerp(values[middle - 1], values[middle], 0.5);
}

void add_by_inspections(PerStack& values, const StackRates& stack, Ranks& ranks, specs::Random& random) {
  std::vector<double> all = rates(stack);
  for (const std::size_t count : steps(ranks.least(), all.size())) {
    const auto& bounds = ranks.of(count);
    std::vector<double> widths;
    for (std::size_t draw = 0; draw < draws; ++draw) {
      for (std::size_t i = 0; i < count; ++i)
        std::swap(all[i], all[i + random.below(all.size() - i)]);
      if (!bounds) continue;
      std::vector<double> part(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
      std::ranges::sort(part);
      widths.push_back((part[bounds->high] - part[bounds->low]) / median_of_sorted(part));
    }
    if (!widths.empty()) values[count].push_back(median(widths));
  }
}

}  // namespace

Spread spread(const Rates& rates, double confidence, std::uint64_t seed) {
  PerStack by_samples, by_inspections;
  Ranks ranks(confidence);
  for (const StackRates& stack : rates.stacks) {
    // A stream for each stack: another stack in the report changes nothing for this one.
    const std::string id = stack.stack.id();
    specs::Random random(specs::derive_seed(seed, id));
    if (rates.yardstick.is_rate()) add_by_samples(by_samples, stack, rates.unit, random);
    add_by_inspections(by_inspections, stack, ranks, random);
  }
  return {summary(by_samples), summary(by_inspections), draws, seed};
}

}  // namespace stackx::analysis
