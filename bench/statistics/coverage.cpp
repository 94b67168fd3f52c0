// Coverage of every 95% interval that stackx prints.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/ranking/precision.hpp"
#include "analysis/statistics/bootstrap.hpp"
#include "noise_model.hpp"
#include "trials.hpp"

namespace stackx::bench {
namespace {

constexpr std::size_t values_tried[] = {6, 7, 8, 9, 10, 11, 12, 15, 20, 30, 40, 60};
constexpr analysis::Bootstrap bootstrap{.confidence = 0.95, .seed = 1, .draws = 500};

struct Count {
  int covered = 0, trials = 0;

  void add(const std::optional<analysis::Interval>& interval, double truth) {
    ++trials;
    covered += interval && interval->low <= truth && truth <= interval->high;
  }
  double percent() const { return 100.0 * covered / trials; }
};

std::vector<analysis::PairedProcesses> one_host(const Samples& data) {
  std::vector<analysis::PairedProcesses> rounds;
  for (std::size_t r = 0; r < data[0].size(); ++r)
    rounds.push_back({"host", data[0][r], data[1][r]});
  return rounds;
}

std::vector<double> values(Shape shape, std::size_t n, specs::Random& random) {
  std::vector<double> result(n);
  for (double& value : result) value = draw(shape, random);
  return result;
}

// By the name of the interval.
using Counts = std::map<std::string, Count>;

void one_sample(Counts& counts, Shape shape, std::size_t n, specs::Random& random,
                std::uint64_t seed) {
  const std::vector<double> sample = values(shape, n, random), other = values(shape, n, random);
  auto options = bootstrap;
  options.seed = seed;
  const analysis::Statistic median = [](std::span<const double> v) { return analysis::median(v); };
  counts["1 order statistics"].add(analysis::median_interval(sample, 0.95), 0);
  counts["2 bootstrap"].add(analysis::bootstrap_interval(sample, median, options), 0);
  counts["3 bootstrap, two samples"].add(
      analysis::bootstrap_difference(sample, other, median, options), 0);
}

void paired(Counts& counts, Shape shape, double rho, std::size_t n, specs::Random& random,
            std::uint64_t seed) {
  const Samples data =
      simulate({0, 0}, {n, n}, {20, 20}, {.rho = rho, .drift = 1, .shape = shape}, random);
  std::vector<double> logs;
  for (std::size_t r = 0; r < n; ++r)
    logs.push_back(analysis::median(data[0][r]) - analysis::median(data[1][r]));
  auto options = bootstrap;
  options.seed = seed;
  counts["4 pairs, sign test"].add(analysis::median_interval(logs, 0.95), 0);
  const auto hierarchy = [&](bool every_level) -> std::optional<analysis::Interval> {
    const auto found = analysis::bootstrap_hierarchy(one_host(data), options, every_level);
    return found ? std::optional(found->interval) : std::nullopt;
  };
  counts["5 pairs, hierarchical bootstrap"].add(hierarchy(false), 0);
  if ((n == 12 || n == 30) && seed <= 1000)
    counts["6 (rejected: every level drawn)"].add(hierarchy(true), 0);
}

}  // namespace

void coverage(const Trials& trials) {
  fmt::print("| interval | values |");
  for (const std::size_t n : values_tried) fmt::print(" n={} |", n);
  fmt::print("\n|---|---|");
  for (std::size_t i = 0; i < std::size(values_tried); ++i) fmt::print("---|");
  fmt::print("\n");
  double low = 100, high = 0;
  const auto row = [&](const std::string& values_name, const auto& fill) {
    std::map<std::string, std::map<std::size_t, double>> cells;
    for (const std::size_t n : values_tried) {
      Counts counts;
      specs::Random random(specs::derive_seed(trials.seed, values_name, n));
      for (int trial = 0; trial < trials.count; ++trial)
        fill(counts, n, random, static_cast<std::uint64_t>(trial) + 1);
      for (const auto& [name, count] : counts) cells[name][n] = count.percent();
    }
    for (const auto& [name, by_n] : cells) {
      fmt::print("| {} | {} |", name.substr(2), values_name);
      for (const std::size_t n : values_tried) {
        const auto found = by_n.find(n);
        fmt::print(" {} |", found == by_n.end() ? "" : fmt::format("{:.1f}", found->second));
        if (found == by_n.end() || name[0] == '6') continue;
        low = std::min(low, found->second);
        high = std::max(high, found->second);
      }
      fmt::print("\n");
      std::fflush(stdout);
    }
  };
  for (const Shape shape : shapes)
    row(to_string(shape), [&](Counts& counts, std::size_t n, specs::Random& random,
                              std::uint64_t seed) { one_sample(counts, shape, n, random, seed); });
  for (const Shape shape : shapes)
    for (const double rho : {0.0, 0.5, 0.95})
      row(fmt::format("{}, rho {:g}, drift/noise 1", to_string(shape), rho),
          [&](Counts& counts, std::size_t n, specs::Random& random, std::uint64_t seed) {
            paired(counts, shape, rho, n, random, seed);
          });
  fmt::print("\nLowest {:.1f}%, highest {:.1f}% ({} trials a cell, bootstrap of {} draws)\n", low,
             high, trials.count, bootstrap.draws);
}

void precision(const Trials& trials) {
  constexpr double cv = 0.02, width = 0.02;
  constexpr std::size_t most = 200;
  fmt::print(
      "| `--strategy precision`, width 2%, CV 2% | covered | rounds (mean) | width reached "
      "|\n|---|---|---|---|\n");
  for (const Shape shape : shapes) {
    specs::Random random(specs::derive_seed(trials.seed, to_string(shape), most));
    Count count;
    double rounds = 0;
    int reached = 0;
    for (int trial = 0; trial < trials.count; ++trial) {
      analysis::Table table(1);
      while (table[0].size() < most && !analysis::unsettled(table, width, 0.95).empty())
        table[0].push_back(cv * draw(shape, random));
      std::vector<double> rates;
      for (const auto& log_rate : table[0]) rates.push_back(std::exp(*log_rate));
      count.add(analysis::median_interval(rates, 0.95), 1);
      rounds += static_cast<double>(rates.size());
      reached += analysis::unsettled(table, width, 0.95).empty();
    }
    fmt::print("| {} | {:.1f}% | {:.1f} | {:.1f}% |\n", to_string(shape), count.percent(),
               rounds / trials.count, 100.0 * reached / trials.count);
  }
}

}  // namespace stackx::bench
