#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/statistics/conditions.hpp"
#include "tests/analysis/measurements.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;
using Catch::Contains;

namespace {

struct World {
  std::size_t arms = 8;
  std::uint64_t rounds = 20;
  double effect = -1.2;    // of the whole share of steal on the log rate
  double drift = 0;        // of the log rate, per round
  double steal_drift = 0;  // of the steal, per round
  double noise = 0.02;
  std::uint64_t wild = 0;  // one of so many inspections loses up to 63% for no reason
};

// A quarter of the inspections is hit by up to 10% of steal.
std::vector<Condition> campaign(specs::Random& random, const World& world) {
  std::vector<Condition> result;
  for (std::uint64_t round = 0; round < world.rounds; ++round)
    for (std::size_t arm = 0; arm < world.arms; ++arm) {
      Condition c;
      c.campaign = "c";
      c.arm = fmt::format("arm{}", arm);
      c.round = round;
      const double hit = random.below(4) == 0 ? 0.1 * random.unit() : 0;
      const auto r = static_cast<double>(round);
      c.steal = hit + world.steal_drift * r;
      c.load = 1 + random.unit();
      c.log_rate = 0.3 * static_cast<double>(arm) + world.drift * r + world.effect * hit +
                   world.noise * normal(random);
      if (world.wild > 0 && random.below(world.wild) == 0) c.log_rate -= random.unit();
      result.push_back(c);
    }
  return result;
}

}  // namespace

TEST_CASE("conditions: what steal costs is found, and load that costs nothing is not blamed") {
  specs::Random random(1);
  const auto found = study(campaign(random, {}), 0.95);
  CHECK(found.inspections == 160);
  CHECK(found.with_steal == 160);
  CHECK(found.stolen > 20);
  CHECK(found.most_steal > 0.05);
  CHECK(found.arms == 8);
  CHECK(found.rounds == 20);
  REQUIRE(found.steal);
  CHECK(found.steal->slope == Approx(-1.2).margin(0.25));
  REQUIRE(found.steal->interval);
  CHECK(found.steal->interval->high < 0);
  REQUIRE(found.load);
  CHECK(found.load->interval->low < 0);
  CHECK(found.load->interval->high > 0);
}

TEST_CASE("conditions: drift that steal shares is not steal's effect") {
  specs::Random random(2);
  World world;
  world.effect = 0;
  world.drift = -0.01;        // a fifth slower in the end
  world.steal_drift = 0.005;  // with 10% steal
  const auto found = study(campaign(random, world), 0.95);
  REQUIRE(found.steal);
  CHECK(found.steal->interval->low < 0);
  CHECK(found.steal->interval->high > 0);
  CHECK(std::abs(found.steal->slope) < 0.3);  // without the round's shift taken out: -2
}

TEST_CASE("conditions: the interval covers the truth, also with few arms") {
  specs::Random random(3);
  for (const auto& [arms, wild] : {std::pair(2, 0), {3, 0}, {8, 0}, {3, 20}, {8, 20}}) {
    World world;
    world.arms = static_cast<std::size_t>(arms);
    world.wild = static_cast<std::uint64_t>(wild);
    world.rounds = 24;
    int covered = 0;
    const int trials = 120;
    for (int trial = 0; trial < trials; ++trial) {
      const auto found = study(campaign(random, world), 0.95);
      covered +=
          found.steal->interval->low <= world.effect && world.effect <= found.steal->interval->high;
    }
    INFO(arms << " arms, wild 1 of " << wild << ": " << covered << " of " << trials);
    CHECK(covered >= 0.90 * trials);
    CHECK(covered < trials);
  }
}

TEST_CASE("conditions: several campaigns are polished apart and studied together") {
  specs::Random random(4);
  auto all = campaign(random, {});
  for (auto second = campaign(random, {}); auto& c : second) {
    c.campaign = "d";
    c.log_rate += 5;  // another workload
    all.push_back(c);
  }
  const auto found = study(all, 0.95);
  CHECK(found.steal->n == 320);
  CHECK(found.arms == 16);
  CHECK(found.rounds == 40);
  CHECK(found.steal->slope == Approx(-1.2).margin(0.2));
}

TEST_CASE("conditions: the order of inspections does not matter, large campaigns are thinned") {
  specs::Random random(5);
  World world;
  world.arms = 30;
  world.rounds = 100;
  auto all = campaign(random, world);
  const auto found = study(all, 0.95);
  CHECK(found.inspections == 3000);
  CHECK(found.steal->n == 1000);
  CHECK(found.steal->slope == Approx(-1.2).margin(0.15));
  std::ranges::reverse(all);
  CHECK(study(all, 0.95).steal->slope == found.steal->slope);
}

TEST_CASE("conditions: what cannot be told has no slope, and the lines say so") {
  CHECK(lines(study({}, 0.95)).empty());
  specs::Random random(6);
  World one_arm;
  one_arm.arms = 1;
  CHECK_FALSE(study(campaign(random, one_arm), 0.95).steal);
  auto untold = campaign(random, {});
  for (auto& c : untold) c.steal.reset();
  CHECK(study(untold, 0.95).with_steal == 0);
  CHECK_THAT(lines(study(untold, 0.95)).at(0), Contains("steal: not told in 160 inspections"));
  auto none = campaign(random, {});
  for (auto& c : none) c.steal = 0;
  CHECK_FALSE(study(none, 0.95).steal);
  CHECK_THAT(lines(study(none, 0.95)).at(0), Contains("steal: none in 160 inspections"));
}

TEST_CASE("conditions: a load that nobody can add up has no slope") {
  specs::Random random(1);
  auto inspections = campaign(random, {});
  inspections[3].load = 1e308;
  inspections[5].load = -1e308;
  const auto of = study(inspections, 0.95);
  CHECK(!of.load);
  CHECK(of.steal);
  CHECK(lines(of).size() == 2);
}

TEST_CASE("conditions: the lines give size, interval and number") {
  Conditions c;
  c.inspections = c.with_steal = 480;
  c.stolen = 48;
  c.most_steal = 0.14;
  c.arms = 16;
  c.rounds = 30;
  c.most_load = 3;
  c.steal = Slope{-0.9, Interval{-1.1, -0.6, 0.95}, 480};
  const auto text = lines(c);
  REQUIRE(text.size() == 2);
  c.load = Slope{0.02, Interval{-0.01, 0.05, 0.95}, 480};
  CHECK_THAT(lines(c)[1], Contains("+1: +2.02% rate [-1.00%, +5.13%], no effect shown (n=480"));
  CHECK(text[0] ==
        "steal: +1 percentage point: -0.90% rate [-1.09%, -0.60%] (n=480 inspections of 16 arms in "
        "30 "
        "rounds, within rounds); 10.0% of 480 inspections had more than 1%, at most 14.0%");
  CHECK(text[1] == "load: 0.00 to 3.00 over one minute when inspections began");
  // Nothing is said of steps larger than what was seen.
  c.most_steal = 0.004;
  CHECK_THAT(lines(c)[0], Contains("steal: +0.1 percentage point: -0.09% rate"));
  c.most_steal = 0.0004;
  CHECK_THAT(lines(c)[0], !Contains("percentage point"));
}
