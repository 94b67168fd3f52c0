#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/statistics/comparison.hpp"
#include "tests/analysis/measurements.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

std::vector<double> logs(std::uint64_t seed, std::size_t n, double ratio, double noise) {
  specs::Random random(seed);
  std::vector<double> values;
  for (; n > 0; --n) values.push_back(std::log(ratio) + noise * normal(random));
  return values;
}

Comparison one(const std::vector<double>& values) { return compare({values}, 0.01, 0.95).at(0); }

}  // namespace

TEST_CASE("comparison: the four verdicts") {
  CHECK(one(logs(1, 20, 0.9, 0.005)).verdict == Verdict::slower);
  CHECK(one(logs(2, 20, 1.1, 0.005)).verdict == Verdict::faster);
  CHECK(one(logs(3, 20, 1.0, 0.002)).verdict == Verdict::equivalent);
  CHECK(one(logs(4, 20, 1.0, 0.05)).verdict == Verdict::unresolved);
  const Comparison slower = one(logs(1, 20, 0.9, 0.005));
  CHECK(slower.ratio == Approx(0.9).epsilon(0.01));
  REQUIRE(slower.interval);
  CHECK(slower.interval->low < 0.9);
  CHECK(slower.interval->high > 0.895);
  CHECK(slower.interval->high < 0.91);
  CHECK(slower.pairs == 20);
  CHECK_FALSE(slower.further_rounds);
}

TEST_CASE(
    "comparison: too few pairs are unresolved however large the difference, and say what they "
    "lack") {
  for (std::size_t n = 1; n < 6; ++n) {
    const Comparison c = one(std::vector<double>(n, std::log(0.03)));
    CHECK(c.verdict == Verdict::unresolved);
    CHECK_FALSE(c.interval);
    CHECK(c.further_rounds == 6 - n);
  }
  CHECK(one(std::vector<double>(6, std::log(0.03))).verdict == Verdict::slower);
  CHECK(one({}).verdict == Verdict::unresolved);
  CHECK(one({}).pairs == 0);
  CHECK(one({}).further_rounds == 6);
  // In a family of nineteen it takes ten.
  const std::vector<std::vector<double>> nine(19, std::vector<double>(9, -1.0)),
      ten(19, std::vector<double>(10, -1.0));
  CHECK(compare(nine, 0.01, 0.95)[7].verdict == Verdict::unresolved);
  CHECK(compare(nine, 0.01, 0.95)[7].further_rounds == 1);
  CHECK(compare(ten, 0.01, 0.95)[7].verdict == Verdict::slower);
}

TEST_CASE("comparison: as many rounds more as the tosses need, if those to come fall as those that were run") {
  const auto rounds = [](std::size_t times) {  // each time two of three speak for it
    std::vector<double> logs;
    for (std::size_t i = 0; i < times; ++i) logs.insert(logs.end(), {-0.1 - 0.001 * static_cast<double>(i), -0.11, 0.05});
    return logs;
  };
  const Comparison six = one(rounds(2));
  REQUIRE(six.further_rounds);
  CHECK(*six.further_rounds > 6);  // with six more for it, 2 of 12 against it would be the first that say anything
  const auto times = (6 + *six.further_rounds + 2) / 3;
  CHECK(one(rounds(times)).verdict == Verdict::slower);
  CHECK(one(rounds(times - 2)).verdict == Verdict::unresolved);
  const Comparison half = one({-0.5, -0.4, -0.3, 0.02, 0.03, 0.05});  // an interval takes that for noise
  REQUIRE(half.further_rounds);
  CHECK(*half.further_rounds >= 8);  // 3 of 14 against it are the first that say anything
}

TEST_CASE("comparison: verdict and interval always say the same") {
  specs::Random random(5);
  for (int trial = 0; trial < 1500; ++trial) {
    std::vector<std::vector<double>> family;
    for (std::uint64_t m = 1 + random.below(8); m > 0; --m)
      family.push_back(
          logs(random.next(), random.below(40), 0.97 + 0.06 * random.unit(), 0.02 * random.unit()));
    const double delta = 0.01, low = 1 / (1 + delta), high = 1 + delta;
    for (const Comparison& c : compare(family, delta, 0.95)) {
      const bool outside = c.interval && (c.interval->low > high || c.interval->high < low);
      const bool inside = c.interval && c.interval->low > low && c.interval->high < high;
      REQUIRE((c.verdict == Verdict::slower || c.verdict == Verdict::faster) == outside);
      REQUIRE((c.verdict == Verdict::equivalent) == inside);
      if (c.verdict == Verdict::faster) REQUIRE(c.interval->low > high);
      if (c.interval) REQUIRE(c.interval->coverage >= 0.95 - 1e-9);
      if (c.interval) REQUIRE((c.interval->low <= c.ratio && c.ratio <= c.interval->high));
      if (c.further_rounds) REQUIRE((c.verdict == Verdict::unresolved && *c.further_rounds > 0));
    }
  }
}

TEST_CASE("comparison: a larger family never turns unresolved into a verdict") {
  specs::Random random(6);
  for (int trial = 0; trial < 500; ++trial) {
    const auto mine =
        logs(random.next(), 6 + random.below(20), 0.95 + 0.1 * random.unit(), 0.03 * random.unit());
    const Verdict alone = one(mine).verdict;
    std::vector<std::vector<double>> family(1 + random.below(10), logs(random.next(), 12, 1, 0.05));
    family.push_back(mine);
    const Verdict among = compare(family, 0.01, 0.95).back().verdict;
    REQUIRE((among == alone || among == Verdict::unresolved));
  }
}

TEST_CASE("comparison: swapping the sides swaps the verdict and inverts the ratio") {
  specs::Random random(7);
  for (int trial = 0; trial < 300; ++trial) {
    auto mine = logs(random.next(), 1 + random.below(30), 0.97 + 0.06 * random.unit(), 0.02);
    const Comparison forth = one(mine);
    for (double& value : mine) value = -value;
    const Comparison back = one(mine);
    CHECK(forth.ratio * back.ratio == Approx(1));
    CHECK(forth.further_rounds == back.further_rounds);
    const auto mirrored = forth.verdict == Verdict::faster   ? Verdict::slower
                          : forth.verdict == Verdict::slower ? Verdict::faster
                                                             : forth.verdict;
    CHECK(back.verdict == mirrored);
  }
}

TEST_CASE("comparison: the estimate of further rounds is about right") {
  // 2% apart, band 1%, noise 2%: measured with 12 pairs, then with as many as the estimate says,
  // again and again.
  std::size_t resolved = 0, trials = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Comparison first = one(logs(seed, 12, 0.97, 0.02));
    if (first.verdict != Verdict::unresolved || !first.further_rounds) continue;
    ++trials;
    const std::size_t n = std::min<std::size_t>(12 + *first.further_rounds, 2000);
    resolved += one(logs(seed + 1000, n, 0.97, 0.02)).verdict == Verdict::slower;
  }
  REQUIRE(trials > 50);
  CHECK(static_cast<double>(resolved) / static_cast<double>(trials) > 0.3);
}
