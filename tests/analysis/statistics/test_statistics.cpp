#include <algorithm>
#include <catch2/catch.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "analysis/statistics/statistics.hpp"
#include "tests/analysis/ask_oracle.hpp"
#include "tests/analysis/measurements.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

std::vector<double> normals(specs::Random& random, std::size_t n) {
  std::vector<double> values;
  for (; n > 0; --n) values.push_back(normal(random));
  return values;
}

// P(B <= k) by counting all 2^n outcomes.
double tail_by_enumeration(std::size_t n, std::size_t k) {
  std::size_t hits = 0;
  for (std::uint64_t outcome = 0; outcome < (1ULL << n); ++outcome)
    hits += static_cast<std::size_t>(__builtin_popcountll(outcome)) <= k;
  return static_cast<double>(hits) / static_cast<double>(1ULL << n);
}

}  // namespace

TEST_CASE("statistics: small cases by hand") {
  CHECK(median(std::vector{3.0, 1.0, 2.0}) == 2);
  CHECK(median(std::vector{4.0, 1.0, 2.0, 3.0}) == 2.5);
  CHECK(quantile(std::vector{10.0, 20.0, 30.0, 40.0, 50.0}, 0.25) == 20);
  CHECK(quantile(std::vector{10.0, 20.0}, 0.1) == Approx(11));
  CHECK(mad(std::vector{1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0}) == 1);
  CHECK(*standard_deviation(std::vector{2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}) ==
        Approx(2.138089935));
  CHECK(*cv(std::vector{9.0, 11.0}) == Approx(std::sqrt(2.0) / 10));
  CHECK_FALSE(cv(std::vector{5.0}));
  CHECK_FALSE(cv(std::vector{-1.0, 1.0}));
  CHECK_THROWS_AS(median(std::vector<double>{}), std::invalid_argument);
  CHECK_THROWS_AS(quantile(std::vector{1.0}, 1.5), std::invalid_argument);
}

TEST_CASE(
    "statistics: the interval of the median attains what exact enumeration says, and no wider one "
    "is taken") {
  specs::Random random(1);
  for (const double confidence : {0.8, 0.9, 0.95, 0.99, 0.998}) {
    for (std::size_t n = 1; n <= 18; ++n) {
      auto values = normals(random, n);
      const auto interval = median_interval(values, confidence);
      std::sort(values.begin(), values.end());
      std::size_t k = 0;  // the largest with 2 P(B <= k-1) <= 1 - confidence
      while (2 * (k + 1) <= n && 2 * tail_by_enumeration(n, k) <= 1 - confidence + 1e-12) ++k;
      INFO("n " << n << " confidence " << confidence);
      if (k == 0) {
        CHECK_FALSE(interval);
        CHECK(n < least_values(confidence));
      } else {
        REQUIRE(interval);
        CHECK(interval->low == values[k - 1]);
        CHECK(interval->high == values[n - k]);
        CHECK(interval->coverage == Approx(1 - 2 * tail_by_enumeration(n, k - 1)).epsilon(1e-12));
        CHECK(interval->coverage >= confidence - 1e-12);
        CHECK(n >= least_values(confidence));
      }
    }
  }
  CHECK(least_values(0.95) == 6);
  CHECK(least_values(0.99) == 8);
  CHECK(least_values(1 - 0.05 / 19) == 10);  // twenty stacks after ten rounds
}

TEST_CASE("statistics: sign tests are the interval's duals, at every level and for every band") {
  specs::Random random(2);
  for (int trial = 0; trial < 4000; ++trial) {
    auto values = normals(random, 1 + random.below(40));
    const double shift = 2 * (random.unit() - 0.5) * 2;
    for (double& value : values) value += shift;
    if (trial % 3 == 0)  // ties, also with the edges of the band
      for (double& value : values) value = std::round(value * 2) / 2;
    const double edge = trial % 2 ? 0.5 : 0;
    const double alpha = std::vector{0.2, 0.1, 0.05, 0.01, 0.05 / 7}[random.below(5)];
    const auto interval = median_interval(values, 1 - alpha);
    const bool excludes = interval && (interval->low > edge || interval->high < -edge);
    const bool inside = interval && interval->low > -edge && interval->high < edge;
    REQUIRE((sign_test_outside(values, -edge, edge) <= alpha) == excludes);
    REQUIRE((sign_test_inside(values, -edge, edge) <= alpha) == inside);
  }
}

TEST_CASE("statistics: the sign test against enumeration of all signs") {
  for (std::size_t n = 1; n <= 12; ++n)
    for (std::size_t positive = 0; positive <= n; ++positive) {
      std::vector<double> values(positive, 1.0);
      values.resize(n, -1.0);
      // Share of all sign patterns at least as lopsided to one side, twice.
      const double expected =
          std::min(1.0, 2 * tail_by_enumeration(n, std::min(positive, n - positive)));
      CHECK(sign_test_outside(values, 0, 0) == Approx(expected).epsilon(1e-12));
    }
}

TEST_CASE("statistics: Holm by hand, and its properties") {
  // Five p-values at 5%: thresholds .01, .0125, .01667, .025, .05; the third fails and stops the
  // rest.
  const Holm result = holm(std::vector{0.04, 0.001, 0.02, 0.012, 0.03}, 0.05);
  CHECK(result.rejected == std::vector{false, true, false, true, false});
  CHECK(result.level[1] == Approx(0.05 / 5));
  CHECK(result.level[3] == Approx(0.05 / 4));
  for (const int i : {0, 2, 4})
    CHECK(result.level[static_cast<std::size_t>(i)] == Approx(0.05 / 3));
  CHECK(holm({}, 0.05).rejected.empty());

  specs::Random random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> p;
    for (std::uint64_t n = 1 + random.below(12); n > 0; --n)
      p.push_back(random.unit() * random.unit() * random.unit() * 0.3);
    const Holm all = holm(p, 0.05);
    // The closed test with Bonferroni on every intersection is the definition; Holm is its
    // shortcut.
    for (std::size_t i = 0; i < p.size(); ++i) {
      bool rejected = true;
      for (std::uint64_t set = 0; set < (1ULL << p.size()); ++set) {
        if (!(set >> i & 1)) continue;
        double least = 1;
        for (std::size_t j = 0; j < p.size(); ++j)
          if (set >> j & 1) least = std::min(least, p[j]);
        rejected = rejected && least <= 0.05 / __builtin_popcountll(set);
      }
      REQUIRE(all.rejected[i] == rejected);
    }
  }
}

TEST_CASE("statistics: the same numbers as NumPy and SciPy") {
  specs::Random random(4);
  nlohmann::json request = {{"values", nlohmann::json::array()}};
  std::vector<std::vector<double>> all;
  for (std::size_t n = 1; n <= 60; ++n) {
    all.push_back(normals(random, n));
    request["values"].push_back(all.back());
  }
  const auto answer = ask_oracle("oracle.py", request);
  if (answer.contains("missing")) {
    std::cerr << "skipped, not compared with NumPy and SciPy: " << answer["missing"] << "\n";
    return;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& expected = answer["values"][i];
    const double levels[] = {0, .1, .25, .5, .75, .9, 1};
    for (std::size_t q = 0; q < 7; ++q)
      CHECK(quantile(all[i], levels[q]) ==
            Approx(expected["quantiles"][q].get<double>()).margin(1e-12));
    CHECK(median(all[i]) == Approx(expected["median"].get<double>()).margin(1e-12));
    CHECK(mad(all[i]) == Approx(expected["mad"].get<double>()).margin(1e-12));
    CHECK(mean(all[i]) == Approx(expected["mean"].get<double>()).margin(1e-12));
    if (!expected["sd"].is_null())
      CHECK(*standard_deviation(all[i]) == Approx(expected["sd"].get<double>()));
    CHECK(sign_test_outside(all[i], 0, 0) == Approx(expected["sign"].get<double>()).epsilon(1e-9));
    const auto interval = median_interval(all[i], 0.95);
    REQUIRE(interval.has_value() == !expected["interval"].is_null());
    if (!interval) continue;
    CHECK(interval->low == expected["interval"][0].get<double>());
    CHECK(interval->high == expected["interval"][1].get<double>());
    CHECK(interval->coverage == Approx(expected["interval"][2].get<double>()));
  }
}
