#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>

#include "analysis/statistics/theil_sen.hpp"
#include "tests/analysis/ask_oracle.hpp"
#include "tests/analysis/measurements.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

struct Cloud {
  std::vector<double> x, y;
};

Cloud cloud(specs::Random& random, std::size_t n, double slope, double noise) {
  Cloud result;
  for (; n > 0; --n) {
    result.x.push_back(random.unit());
    result.y.push_back(slope * result.x.back() + noise * normal(random));
  }
  return result;
}

}  // namespace

TEST_CASE("theil-sen: a line is found exactly, and wild values do not move it") {
  std::vector<double> x, y;
  for (int i = 0; i < 30; ++i) {
    x.push_back(i);
    y.push_back(5 - 2.0 * i);
  }
  const auto exact = theil_sen(x, y, 0.95);
  REQUIRE(exact);
  CHECK(exact->slope == Approx(-2));
  CHECK(exact->n == 30);
  REQUIRE(exact->interval);
  CHECK(exact->interval->low == Approx(-2));
  CHECK(exact->interval->high == Approx(-2));
  for (int i = 3; i < 30; i += 5) y[static_cast<std::size_t>(i)] += 1e6;  // 6 of 30
  CHECK(theil_sen(x, y, 0.95)->slope == Approx(-2));
}

TEST_CASE("theil-sen: what cannot be told") {
  const std::vector<double> same(20, 3.0), empty;
  std::vector<double> rising;
  for (int i = 0; i < 20; ++i) rising.push_back(i);
  CHECK_FALSE(theil_sen(same, rising, 0.95));
  CHECK_FALSE(theil_sen(empty, empty, 0.95));
  const std::vector<double> nine(rising.begin(), rising.begin() + 9);
  CHECK(theil_sen(nine, nine, 0.95)->slope == 1);
  CHECK_FALSE(theil_sen(nine, nine, 0.95)->interval);
  CHECK(theil_sen(rising, rising, 0.95, 10)->interval);
  CHECK_FALSE(theil_sen(rising, rising, 0.95, 11)->interval);  // nine are left
  CHECK_THROWS_AS(theil_sen(nine, rising, 0.95), std::invalid_argument);
  rising.back() = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(theil_sen(same, rising, 0.95), std::invalid_argument);
}

TEST_CASE("theil-sen: as SciPy has it, with ties and without") {
  specs::Random random(1);
  nlohmann::json cases = nlohmann::json::array();
  std::vector<std::optional<Slope>> own;
  for (int trial = 0; trial < 120; ++trial) {
    auto c = cloud(random, 10 + random.below(60), 4 * random.unit() - 2, random.unit());
    if (trial % 3 > 0)
      for (double& x : c.x) x = std::floor(x * 4) / 4;
    if (trial % 3 > 1)
      for (double& y : c.y) y = std::nearbyint(y * 4) / 4;
    const double confidence = trial % 2 ? 0.95 : 0.8;
    cases.push_back({{"x", c.x}, {"y", c.y}, {"confidence", confidence}});
    own.push_back(theil_sen(c.x, c.y, confidence));
  }
  const auto scipy = ask_oracle("oracle_theil_sen.py", {{"cases", cases}});
  if (scipy.contains("missing")) {
    std::cerr << "skipped: " << scipy["missing"] << "\n";
    return;
  }
  for (std::size_t i = 0; i < own.size(); ++i) {
    INFO("case " << i);
    REQUIRE(own[i]);
    CHECK(own[i]->slope == Approx(scipy["answers"][i]["slope"].get<double>()).margin(1e-12));
    CHECK(own[i]->interval->low == Approx(scipy["answers"][i]["low"].get<double>()).margin(1e-12));
    CHECK(own[i]->interval->high ==
          Approx(scipy["answers"][i]["high"].get<double>()).margin(1e-12));
  }
}

TEST_CASE("theil-sen: the interval covers, also where most x are the same") {
  specs::Random random(2);
  for (const bool mostly_zero : {false, true}) {
    int covered = 0;
    const int trials = 1000;
    for (int trial = 0; trial < trials; ++trial) {
      auto c = cloud(random, 40, 0, 0.3);
      if (mostly_zero)
        for (std::size_t i = 0; i < c.x.size(); ++i) {
          const double x = random.below(4) == 0 ? c.x[i] : 0;
          c.y[i] -= 1.5 * x;
          c.x[i] = x;
        }
      const double truth = mostly_zero ? -1.5 : 0;
      const auto found = theil_sen(c.x, c.y, 0.95);
      covered += found->interval->low <= truth && truth <= found->interval->high;
    }
    INFO("mostly zero: " << mostly_zero);
    CHECK(covered >= 0.93 * trials);
    CHECK(covered <= 0.98 * trials);
  }
}

TEST_CASE("theil-sen: values used up before widen the interval") {
  specs::Random random(3);
  const auto c = cloud(random, 60, 1, 0.5);
  const auto wide = *theil_sen(c.x, c.y, 0.95, 40)->interval,
             all = *theil_sen(c.x, c.y, 0.95)->interval;
  CHECK(wide.low < all.low);
  CHECK(wide.high > all.high);
}
