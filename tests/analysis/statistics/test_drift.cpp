// Drift: found where it is, and seldom where it is not.
#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/statistics/drift.hpp"
#include "tests/analysis/measurements.hpp"

namespace drift_tests {

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

Drift of(std::size_t arms, std::uint64_t rounds,
         const std::function<double(std::uint64_t)>& machine, std::uint64_t seed) {
  specs::Random random(seed);
  const auto measurements = campaign(arms, rounds, [&](std::size_t arm, std::uint64_t round) {
    return 100 * (1 + static_cast<double>(arm)) * std::exp(machine(round) + 0.01 * normal(random));
  });
  std::vector<const store::Measurement*> pointers;
  for (const auto& m : measurements) pointers.push_back(&m);
  const auto drifts = drift(collect(pointers, here), 0.95);
  REQUIRE(drifts.size() == 1);
  return drifts[0];
}

}  // namespace

TEST_CASE("drift: a step is a change point in the right round, of the right size") {
  const Drift found = of(
      8, 30, [](std::uint64_t round) { return round < 12 ? 0.0 : -0.08; }, 1);
  REQUIRE(found.changes.size() == 1);
  CHECK(found.changes[0].round == 12);
  CHECK(found.changes[0].ratio == Approx(std::exp(-0.08)).epsilon(0.01));
  CHECK(found.changes[0].p <= 0.01);
  CHECK(found.rounds.size() == 30);
  CHECK(found.rounds[0].arms == 8);
  const auto said = lines({found}, 0.95);
  REQUIRE(said.size() == 1);
  CHECK(said[0].find("from round 12 on") != std::string::npos);
}

TEST_CASE("drift: two steps are two change points") {
  const Drift found = of(
      6, 40, [](std::uint64_t round) { return round < 10   ? 0.0
                                              : round < 28 ? 0.1
                                                           : 0.02; }, 2);
  REQUIRE(found.changes.size() == 2);
  CHECK(found.changes[0].round == 10);
  CHECK(found.changes[1].round == 28);
  CHECK(found.changes[1].ratio < 1);
}

TEST_CASE("drift: a slow trend is told by Kendall's tau") {
  const Drift found = of(
      6, 20, [](std::uint64_t round) { return -0.002 * static_cast<double>(round); }, 3);
  CHECK(found.trend < -0.5);
  CHECK(found.trend_p <= 0.01);
  CHECK(!lines({found}, 0.95).empty());
}

TEST_CASE("drift: tau and its p are those of counting all pairs, ties too") {
  const auto tau = [](const std::vector<double>& values) {
    double sum = 0, pairs = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      for (std::size_t j = i + 1; j < values.size(); ++j) {
        sum += values[j] > values[i] ? 1 : values[j] < values[i] ? -1 : 0;
        ++pairs;
      }
    return sum / pairs;
  };
  specs::Random random(11);
  for (const std::uint64_t rounds : {6, 63, 64, 65, 128, 150}) {
    for (const std::uint64_t levels : {3, 1000}) {  // few: many ties
      std::vector<double> machine;
      for (std::uint64_t round = 0; round < rounds; ++round)
        machine.push_back(0.01 * static_cast<double>(random.below(levels)) + 0.002 * static_cast<double>(round % 7));
      const auto measurements = campaign(2, rounds, [&](std::size_t, std::uint64_t round) { return 100 * std::exp(machine[round]); });
      std::vector<const store::Measurement*> pointers;
      for (const auto& m : measurements) pointers.push_back(&m);
      const auto found = drift(collect(pointers, here), 0.95, 5).front();
      std::vector<double> shifts;
      for (const auto& round : found.rounds) shifts.push_back(round.shift);
      INFO(rounds << " rounds, " << levels << " levels");
      CHECK(found.trend == Approx(tau(shifts)).margin(1e-12));
      specs::Random order(specs::derive_seed(5, "drift"));
      auto shuffled = shifts;
      int as_large = 1;
      for (int i = 0; i < 999; ++i) {
        order.shuffle(shuffled);
        as_large += std::abs(tau(shuffled)) >= std::abs(found.trend) - 1e-12;
      }
      CHECK(found.trend_p == Approx(as_large / 1000.0));
    }
  }
}

TEST_CASE("drift: a calm machine is called calm in 19 of 20 campaigns") {
  int changes = 0, trends = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Drift found = of(
        4, 20, [](std::uint64_t) { return 0.0; }, 100 + seed);
    changes += !found.changes.empty();
    trends += found.trend_p <= 0.05;
  }
  INFO(changes << " change points, " << trends << " trends");
  CHECK(changes <= 12);  // 5 expected, 3 standard errors
  CHECK(trends <= 12);
}

TEST_CASE("drift: too few rounds or arms say nothing") {
  const auto few = [](std::size_t arms, std::uint64_t rounds) {
    const auto measurements =
        campaign(arms, rounds, [](std::size_t, std::uint64_t) { return 100; });
    std::vector<const store::Measurement*> pointers;
    for (const auto& m : measurements) pointers.push_back(&m);
    return drift(collect(pointers, here), 0.95).size();
  };
  CHECK(few(1, 20) == 0);
  CHECK(few(3, 5) == 0);
  CHECK(few(2, 6) == 1);
}

}  // namespace drift_tests
