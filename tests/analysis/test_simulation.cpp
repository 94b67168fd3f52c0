// Error rates and coverage by seeded simulation: what the methods promise, they keep.
#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/ranking/ranking.hpp"
#include "analysis/statistics/statistics.hpp"
#include "tests/analysis/measurements.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

enum class Shape { normal, lognormal, bimodal, heavy };

double draw(Shape shape, specs::Random& random) {
  switch (shape) {
    case Shape::normal:
      return normal(random);
    case Shape::lognormal:
      return std::exp(normal(random)) - 1;  // median 0
    case Shape::bimodal:
      return (random.below(2) ? 2 : -2) + 0.5 * normal(random);  // median 0
    case Shape::heavy:
      return normal(random) / std::max(1e-12, std::abs(normal(random)));  // Cauchy
  }
  return 0;
}

// Any claim of difference in one ranking of equal stacks.
bool claims_difference(const Ranking& ranking) {
  for (const auto& row : ranking.recommendations)
    if (row.rank != 1 || (row.versus_best && (row.versus_best->verdict == Verdict::slower ||
                                              row.versus_best->verdict == Verdict::faster)))
      return true;
  return false;
}

double false_claims(std::size_t arms, std::uint64_t rounds, double noise, double drift,
                    double delta, int trials, std::uint64_t seed) {
  specs::Random random(seed);
  int wrong = 0;
  for (int trial = 0; trial < trials; ++trial) {
    double machine = 0;
    std::uint64_t current = 0;
    const auto measurements = campaign(arms, rounds, [&](std::size_t, std::uint64_t round) {
      if (round != current)
        machine += drift * normal(random);  // a random walk that all arms of a round share
      current = round;
      return 100 * std::exp(machine + noise * normal(random));
    });
    Options options;
    options.delta = delta;
    options.this_host = here;
    wrong += claims_difference(rank(measurements, matmul, options));
  }
  return static_cast<double>(wrong) / trials;
}

}  // namespace

TEST_CASE("simulation: the interval of the median covers as often as it says") {
  constexpr int trials = 4000;
  specs::Random random(11);
  for (const Shape shape : {Shape::normal, Shape::lognormal, Shape::bimodal, Shape::heavy})
    for (const std::size_t n : {6u, 9u, 15u, 31u, 60u}) {
      int covered = 0;
      double stated = 0;
      for (int trial = 0; trial < trials; ++trial) {
        std::vector<double> values;
        for (std::size_t i = 0; i < n; ++i) values.push_back(draw(shape, random));
        const auto interval = median_interval(values, 0.95);
        REQUIRE(interval);
        stated = interval->coverage;
        covered += interval->low <= 0 && 0 <= interval->high;
      }
      const double measured = static_cast<double>(covered) / trials;
      const double error = std::sqrt(stated * (1 - stated) / trials);
      INFO("shape " << static_cast<int>(shape) << " n " << n << ": stated " << stated
                    << ", measured " << measured);
      CHECK(measured > stated - 4 * error);
      CHECK(measured < stated + 4 * error);
      CHECK(stated >= 0.95);
    }
}

TEST_CASE("simulation: two equal stacks are told apart in at most 5% of campaigns, drift or not") {
  // 4 standard errors above 5% at 600 trials: 8.6%. The band is taken away, so that it cannot help.
  for (const std::uint64_t rounds : {6u, 9u, 15u, 20u})
    for (const double drift : {0.0, 0.02, 0.04}) {
      const double rate = false_claims(2, rounds, 0.02, drift, 0, 600, 100 + rounds);
      INFO("rounds " << rounds << " drift " << drift << ": " << rate);
      CHECK(rate <= 0.05 + 4 * std::sqrt(0.05 * 0.95 / 600));
    }
}

TEST_CASE(
    "simulation: many equal stacks, the best picked from the data: still at most 5% with the "
    "default band") {
  for (const std::size_t arms : {6u, 12u, 20u})
    for (const double noise : {0.01, 0.02, 0.05}) {
      const double rate = false_claims(arms, 13, noise, noise, 0.01, 150, 7 * arms);
      INFO("arms " << arms << " noise " << noise << ": " << rate);
      CHECK(rate <= 0.05 + 2 * std::sqrt(0.05 * 0.95 / 150));
    }
}

TEST_CASE("simulation: real differences are found") {
  // 10% apart at 2% noise, 12 stacks, 12 rounds: the eleven others are SLOWER nearly always.
  specs::Random random(13);
  std::size_t slower = 0, reversed = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const auto measurements = campaign(12, 12, [&](std::size_t arm, std::uint64_t) {
      return (arm == 0 ? 110 : 100) * std::exp(0.02 * normal(random));
    });
    const Ranking ranking = rank(measurements, matmul, {.this_host = here});
    reversed += ranking.recommendations[0].stack != stack("0.3.0");
    for (const auto& row : ranking.recommendations)
      slower += row.versus_best && row.versus_best->verdict == Verdict::slower;
  }
  CHECK(reversed == 0);
  CHECK(slower > 40 * 11 * 9 / 10);
}
