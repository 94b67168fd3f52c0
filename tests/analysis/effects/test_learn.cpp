#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <set>

#include "analysis/effects/additive_model.hpp"
#include "analysis/effects/learn.hpp"
#include "tests/analysis/measurements.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

using Logs = std::vector<std::vector<double>>;

specs::Stack of(std::map<std::string, std::string> components) { return {std::move(components)}; }

struct Truth {
  std::vector<specs::Stack> arms;
  std::vector<double> rates;  // logs
};

// 200 arms over 7 components of 2 to 10 versions; with `skewed`, most arms hold the first versions.
// Effects of 20%, interactions of 1%.
Truth additive_truth(specs::Random& random, bool skewed) {
  std::vector<std::vector<double>> effects;
  for (const std::size_t versions : {2u, 3u, 3u, 4u, 6u, 8u, 10u}) {
    effects.emplace_back();
    for (std::size_t v = 0; v < versions; ++v) effects.back().push_back(0.2 * normal(random));
  }
  Truth truth;
  std::set<specs::Stack> seen;
  while (truth.arms.size() < 200) {
    specs::Stack arm;
    double rate = 3;
    for (std::size_t c = 0; c < effects.size(); ++c) {
      const double u = random.unit();
      const auto v = static_cast<std::size_t>(static_cast<double>(effects[c].size()) *
                                              (skewed ? u * u * u : u));
      arm.components["c" + std::to_string(c)] = "1." + std::to_string(v);
      rate += effects[c][v];
    }
    if (!seen.insert(arm).second) continue;
    truth.arms.push_back(arm);
    truth.rates.push_back(rate + 0.01 * normal(random));
  }
  return truth;
}

// Root mean square over all arms of log(predicted / true).
double error_of(const Truth& truth, const Logs& logs) {
  std::vector<specs::Stack> stacks;
  std::vector<double> values;
  for (std::size_t i = 0; i < logs.size(); ++i)
    if (!logs[i].empty()) stacks.push_back(truth.arms[i]), values.push_back(median(logs[i]));
  const AdditiveModel model(stacks, values);
  double squares = 0;
  for (std::size_t i = 0; i < truth.arms.size(); ++i)
    squares += std::pow(model.predict(truth.arms[i]).value - truth.rates[i], 2);
  return std::sqrt(squares / static_cast<double>(truth.arms.size()));
}

// Inspections, in batches of 8 at 2% noise, until the error is reached.
template <typename Pick>
std::size_t needed(const Truth& truth, double error, specs::Random& random, Pick pick) {
  Logs logs(truth.arms.size());
  std::size_t spent = 0;
  while (spent < 400) {
    for (const std::size_t arm : pick(logs)) {
      logs[arm].push_back(truth.rates[arm] + 0.02 * normal(random));
      ++spent;
    }
    if (error_of(truth, logs) <= error) break;
  }
  return spent;
}

}  // namespace

TEST_CASE("learn: different arms, as many as asked for, the same each time") {
  specs::Random random(1);
  const Truth truth = additive_truth(random, false);
  Logs logs(truth.arms.size());
  const auto picks = next_batch(truth.arms, logs, 12);
  CHECK(std::set(picks.begin(), picks.end()).size() == 12);
  CHECK(next_batch(truth.arms, logs, 12) == picks);
  CHECK(next_batch(truth.arms, logs, 1000).size() == truth.arms.size());
  CHECK(next_batch(truth.arms, logs, 0).empty());
  CHECK(next_batch({}, {}, 3).empty());
  CHECK_THROWS_AS(next_batch(truth.arms, {}, 3), std::invalid_argument);
}

TEST_CASE("learn: a batch holds no near-copies") {
  // Twenty arms that differ in one setting only, and four that hold another library each.
  std::vector<specs::Stack> arms;
  for (int i = 0; i < 20; ++i) arms.push_back(of({{"blas", "1"}, {"seed", std::to_string(i % 2)}, {"x", "0"}}));
  for (int i = 2; i < 6; ++i) arms.push_back(of({{"blas", std::to_string(i)}, {"seed", "0"}, {"x", "0"}}));
  const auto picks = next_batch(arms, Logs(arms.size()), 6);
  std::set<std::string> libraries;
  for (const std::size_t pick : picks) libraries.insert(arms[pick].components["blas"]);
  CHECK(libraries.size() == 5);
}

TEST_CASE("learn: of equals the one that ran less often, then the first") {
  const std::vector<specs::Stack> arms(4, of({{"a", "1"}}));
  CHECK(next_batch(arms, Logs(4), 4) == std::vector<std::size_t>{0, 1, 2, 3});
  const auto picks = next_batch(arms, {{1.0, 1.1}, {1.0}, {}, {1.0}}, 4);
  CHECK(picks == std::vector<std::size_t>{2, 1, 3, 0});
}

TEST_CASE("learn: rates that agree to the last digit, or are far apart, are no trouble") {
  std::vector<specs::Stack> arms;
  Logs same, apart;
  for (int i = 0; i < 30; ++i) {
    arms.push_back(of({{"a", std::to_string(i % 3)}, {"b", std::to_string(i % 5)}}));
    same.push_back({2.0, 2.0});
    apart.push_back({i % 2 ? 1e3 : -1e3});
  }
  CHECK(next_batch(arms, same, 5).size() == 5);
  CHECK(next_batch(arms, apart, 5).size() == 5);
}

TEST_CASE("learn, simulation: fewer inspections than random picking for the same error") {
  for (const bool skewed : {false, true}) {
    std::size_t learn = 0, at_random = 0;
    for (std::uint64_t trial = 0; trial < 12; ++trial) {
      specs::Random random(100 + trial);
      const Truth truth = additive_truth(random, skewed);
      specs::Random noise(trial);
      learn += needed(truth, 0.03, noise,
                      [&](const Logs& logs) { return next_batch(truth.arms, logs, 8); });
      std::vector<std::size_t> waiting;  // every arm once before one comes again
      at_random += needed(truth, 0.03, noise, [&](const Logs&) {
        if (waiting.size() < 8) {
          waiting.resize(truth.arms.size());
          std::iota(waiting.begin(), waiting.end(), 0);
          noise.shuffle(waiting);
        }
        const std::vector<std::size_t> picks(waiting.end() - 8, waiting.end());
        waiting.resize(waiting.size() - 8);
        return picks;
      });
    }
    const double ratio = static_cast<double>(at_random) / static_cast<double>(learn);
    INFO("skewed " << skewed << ": random needs " << ratio << " times the inspections, "
                   << at_random << " against " << learn);
    CHECK(ratio > (skewed ? 1.35 : 1.15));
  }
}
