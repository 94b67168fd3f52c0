// The race against fixed rounds: 64 arms, the best 5% ahead of the second, the others spread to 40%
// behind, 3% noise between inspections; then the same where the race's assumptions fail.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "analysis/ranking/race.hpp"
#include "analysis/statistics/comparison.hpp"
#include "noise_model.hpp"
#include "race_replay.hpp"
#include "trials.hpp"

namespace stackx::bench {
namespace {

constexpr std::size_t arms = 64;
constexpr double cv = 0.03;

// Log offsets: arm 0 leads by 5%, arms 1 to 63 lie evenly from 5% to 40% behind it.
double offset(std::size_t arm) {
  if (arm == 0) return 0;
  return std::log(0.95 - 0.35 * static_cast<double>(arm - 1) / static_cast<double>(arms - 2));
}

// One inspection's noise, and what the machine did to it.
struct Scenario {
  std::string name;
  std::function<double(std::size_t arm, specs::Random&)> noise;
  double drift = 0;  // step of the random walk, an inspection
};

// Draws cells as the race asks for them: round by round, arms in random order.
class Simulated : public Measured {
 public:
  Simulated(const Scenario& scenario, std::uint64_t seed) : scenario_(scenario), random_(seed) {}
  std::size_t arms() const override { return bench::arms; }
  std::vector<std::optional<double>> round(std::uint64_t,
                                           const std::vector<std::size_t>& running) override {
    std::vector<std::optional<double>> result(bench::arms);
    std::vector<std::size_t> order = running;
    random_.shuffle(order);
    for (const std::size_t arm : order) {
      machine_ += scenario_.drift * normal(random_);
      result[arm] = machine_ + offset(arm) + scenario_.noise(arm, random_);
    }
    return result;
  }

 private:
  const Scenario& scenario_;
  specs::Random random_;
  double machine_ = 0;
};

std::vector<Scenario> scenarios() {
  const auto gaussian = [](double sd) {
    return [sd](std::size_t, specs::Random& random) { return sd * normal(random); };
  };
  return {
      {"normal", gaussian(cv), 0},
      {"normal, machine drifts by 1 CV an inspection", gaussian(cv), cv},
      {"log-normal", [](std::size_t, specs::Random& r) { return cv * draw(Shape::lognormal, r); },
       0},
      {"bimodal", [](std::size_t, specs::Random& r) { return cv * draw(Shape::bimodal, r); }, 0},
      {"heavy tails: t(2)",
       [](std::size_t, specs::Random& r) { return cv * draw(Shape::heavy, r); }, 0},
      {"normal, 1 inspection in 20 is 30% slow",
       [](std::size_t, specs::Random& r) {
         return cv * normal(r) + (r.below(20) == 0 ? std::log(0.7) : 0);
       },
       0},
      {"arms differ: CV 1% to 9%, the best's 6%",
       [](std::size_t arm, specs::Random& r) {
         return normal(r) * (arm == 0 ? 0.06 : 0.01 + 0.08 * static_cast<double>(arm % 9) / 8);
       },
       0},
  };
}

}  // namespace

void races(const Trials& trials) {
  const specs::StrategySpec strategy{.kind = specs::StrategySpec::Kind::race};
  fmt::print(
      "| noise | n | best found | best lost in the race | inspections (5%, 95%) | verdict FASTER "
      "in "
      "the finals |\n|---|---|---|---|---|---|\n");
  RaceSummary usual;
  for (const Scenario& scenario : scenarios()) {
    RaceSummary summary;
    for (int trial = 0; trial < trials.count; ++trial) {
      Simulated measured(scenario, specs::derive_seed(trials.seed, scenario.name,
                                                      static_cast<std::uint64_t>(trial)));
      summary.add(run_race(measured, strategy, 100), {0});
    }
    if (usual.trials == 0) usual = summary;
    fmt::print("{}\n", summary.row(scenario.name));
    std::fflush(stdout);
  }
  fmt::print(
      "\n| fixed rounds, normal noise | rounds | inspections | successes | race / it |\n"
      "|---|---|---|---|---|\n");
  const Scenario normal_noise = scenarios().front();
  for (const FixedRule rule : {FixedRule::verdict, FixedRule::highest_median}) {
    const FixedDesign fixed = cheapest_fixed(
        [&](int trial) {
          return std::make_unique<Simulated>(
              normal_noise,
              specs::derive_seed(trials.seed, "fixed", static_cast<std::uint64_t>(trial)));
        },
        {0}, rule, trials.count, 0.95, 120);
    fmt::print("{}\n", fixed.row(usual.mean_inspections()));
    std::fflush(stdout);
  }
  fmt::print("| the race's own bound, nobody leaves | {} | {} | 95% | {:.3f} |\n",
             usual.rounds_quantile(0.95), usual.rounds_quantile(0.95) * arms,
             usual.mean_inspections() / static_cast<double>(usual.rounds_quantile(0.95) * arms));
}

}  // namespace stackx::bench
