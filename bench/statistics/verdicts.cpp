// False positives and power of the verdict, on simulated rounds.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analysis/statistics/comparison.hpp"
#include "noise_model.hpp"
#include "peer_rules.hpp"
#include "trials.hpp"

namespace stackx::bench {
namespace {

using analysis::Verdict;

constexpr std::size_t samples = 20;
constexpr double correlations[] = {0, 0.2, 0.5, 0.8, 0.95}, drifts[] = {0, 0.5, 1, 2};
constexpr std::size_t rounds_tried[] = {6, 7, 8, 9, 10, 12, 15, 20, 30, 40, 60};

double median_of(const std::vector<double>& values) { return analysis::median(values); }

// What stackx pairs: the log of the median rate of each process, over shared rounds.
std::vector<double> paired_logs(const Samples& data) {
  std::vector<double> logs;
  for (std::size_t r = 0; r < std::min(data[0].size(), data[1].size()); ++r)
    logs.push_back(median_of(data[0][r]) - median_of(data[1][r]));
  return logs;
}

std::vector<double> pooled(const std::vector<std::vector<double>>& processes) {
  std::vector<double> all;
  for (const auto& process : processes) {
    for (const double log_rate : process) all.push_back(std::exp(-log_rate));  // times
  }
  return all;
}

struct Called {
  int ours = 0, ours_delta = 0, welch = 0, pyperf = 0, asv = 0;
};

bool different(const std::vector<double>& logs, double delta) {
  const Verdict verdict = analysis::compare({logs}, delta, 0.95).front().verdict;
  return verdict == Verdict::faster || verdict == Verdict::slower;
}

Called cell(const Noise& noise, std::size_t rounds, bool equal, const Trials& trials) {
  specs::Random random(specs::derive_seed(
      trials.seed, fmt::format("aa {} {} {} {}", noise.rho, noise.drift, rounds, equal)));
  Called called;
  for (int trial = 0; trial < trials.count; ++trial) {
    // Unequal: the second stack takes half as many samples and came a third of the rounds earlier.
    const Samples data = simulate({0, 0}, {rounds, equal ? rounds : rounds + rounds / 2},
                                  {samples, equal ? samples : samples / 2}, noise, random);
    const std::vector<double> logs = paired_logs(data);
    called.ours += different(logs, 0);
    called.ours_delta += different(logs, 0.01);
    const std::vector<double> a = pooled(data[0]), b = pooled(data[1]);
    called.welch += welch_differs(a, b);
    called.pyperf += pyperf_differs(a, b);
    called.asv += asv_differs(a, b);
  }
  return called;
}

// How often each verdict fell.
struct Found {
  int faster = 0, unresolved = 0, reversed = 0, equivalent = 0;
};

Found found(double gain, double cv, std::size_t rounds, const Trials& trials) {
  specs::Random random(specs::derive_seed(trials.seed, fmt::format("power {} {}", gain, rounds)));
  Found result;
  for (int trial = 0; trial < trials.count; ++trial) {
    // One value a process with the CV asked for: what 2% between inspections means.
    const Samples data =
        simulate({std::log1p(gain), 0}, {rounds, rounds}, {1, 1}, {.cv = cv, .rho = 1}, random);
    const Verdict verdict = analysis::compare({paired_logs(data)}, 0.01, 0.95).front().verdict;
    result.faster += verdict == Verdict::faster;
    result.unresolved += verdict == Verdict::unresolved;
    result.equivalent += verdict == Verdict::equivalent;
    result.reversed += verdict == Verdict::slower;
  }
  return result;
}

}  // namespace

void false_positives(const Trials& trials) {
  const auto percent = [&](int count) { return 100.0 * count / trials.count; };
  fmt::print(
      "| rho | drift/noise | counts | stackx, worst of n | at n | stackx at n = 20 | with delta "
      "1% | Welch, pooled | pyperf | asv |\n|---|---|---|---|---|---|---|---|---|---|\n");
  double worst = 0;
  for (const double rho : correlations)
    for (const double drift : drifts)
      for (const bool equal : {true, false}) {
        double highest = -1;
        std::size_t at = 0;
        Called usual;
        for (const std::size_t rounds : rounds_tried) {
          const Called called = cell({.rho = rho, .drift = drift}, rounds, equal, trials);
          if (percent(called.ours) > highest) {
            highest = percent(called.ours);
            at = rounds;
          }
          if (rounds == 20) usual = called;
        }
        worst = std::max(worst, highest);
        fmt::print(
            "| {:g} | {:g} | {} | {:.2f} | {} | {:.2f} | {:.2f} | {:.1f} | {:.1f} | {:.1f} |\n",
            rho, drift, equal ? "equal" : "unequal", highest, at, percent(usual.ours),
            percent(usual.ours_delta), percent(usual.welch), percent(usual.pyperf),
            percent(usual.asv));
        std::fflush(stdout);
      }
  fmt::print("\nWorst cell of stackx: {:.2f}% ({} trials each, {} cells)\n", worst, trials.count,
             std::size(correlations) * std::size(drifts) * 2 * std::size(rounds_tried));
}

void power(const Trials& trials) {
  const auto percent = [&](int count) { return 100.0 * count / trials.count; };
  fmt::print(
      "| true difference | CV | rounds | FASTER | UNRESOLVED | EQUIVALENT | SLOWER (reversed) |\n"
      "|---|---|---|---|---|---|---|\n");
  for (const double gain : {0.03, 0.01})
    for (const std::size_t rounds : {10u, 20u, 30u, 40u, 60u}) {
      const Found result = found(gain, 0.02, rounds, trials);
      fmt::print("| {:g}% | 2% | {} | {:.1f}% | {:.1f}% | {:.1f}% | {:.2f}% ({} of {}) |\n",
                 100 * gain, rounds, percent(result.faster), percent(result.unresolved),
                 percent(result.equivalent), percent(result.reversed), result.reversed,
                 trials.count);
    }
}

}  // namespace stackx::bench
