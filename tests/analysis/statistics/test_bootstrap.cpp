// Bootstrap intervals: seeded, inside the data, as wide as they say.
#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/statistics/bootstrap.hpp"
#include "tests/analysis/measurements.hpp"

namespace bootstrap_tests {

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

double median_of(std::span<const double> values) { return median(values); }
double mean_of(std::span<const double> values) { return mean(values); }

std::vector<double> normals(std::size_t n, specs::Random& random) {
  std::vector<double> values(n);
  for (double& value : values) value = normal(random);
  return values;
}

}  // namespace

TEST_CASE("bootstrap: the same seed gives the same interval, another one nearly the same") {
  specs::Random random(1);
  const auto values = normals(30, random);
  const auto once = bootstrap_interval(values, mean_of, {.seed = 7});
  const auto twice = bootstrap_interval(values, mean_of, {.seed = 7});
  const auto other = bootstrap_interval(values, mean_of, {.seed = 8});
  REQUIRE(once);
  CHECK(once->low == twice->low);
  CHECK(once->high == twice->high);
  CHECK(once->low != other->low);
  CHECK(other->low == Approx(once->low).margin(0.05));
  CHECK(once->coverage == 0.95);
}

TEST_CASE("bootstrap: of a mean it is Student's interval, nearly") {
  // Hesterberg's correction is made for this: t(n-1) s / sqrt(n), for values without skew.
  specs::Random random(2);
  for (const std::size_t n : {8u, 15u, 60u}) {
    std::vector<double> values;
    for (std::size_t i = 0; i < n / 2; ++i) {
      const double value = normal(random);
      values.push_back(value);
      values.push_back(-value);
    }
    const double t = n == 8 ? 2.3646 : n == 15 ? 2.1604 : 2.0010;  // of 7, 13 and 59 degrees
    const double half =
        t * *standard_deviation(values) / std::sqrt(static_cast<double>(values.size()));
    const auto interval = bootstrap_interval(values, mean_of, {.seed = 3, .draws = 20000});
    REQUIRE(interval);
    CHECK(interval->high == Approx(half).epsilon(n == 8 ? 0.15 : 0.08));
    CHECK(interval->low == Approx(-half).epsilon(n == 8 ? 0.15 : 0.08));
  }
}

TEST_CASE("bootstrap: too few values have no interval; it never leaves the values") {
  const std::vector<double> five{1, 2, 3, 4, 5}, six{1, 2, 3, 4, 5, 6}, same(8, 4.0);
  CHECK(!bootstrap_interval(five, median_of, {}));
  const auto interval = bootstrap_interval(six, median_of, {});
  REQUIRE(interval);
  CHECK(interval->low >= 1);
  CHECK(interval->high <= 6);
  CHECK(bootstrap_interval(same, median_of, {})->low == 4);
  CHECK(!bootstrap_difference(five, six, median_of, {}));
}

TEST_CASE("bootstrap: covers the median of six to sixty values 94 to 99% of the time") {
  // The full table is bench/statistics; 200 trials have a standard error of 1.5.
  specs::Random random(5);
  for (const std::size_t n : {6u, 7u, 9u, 11u, 20u, 60u}) {
    int one = 0, two = 0;
    for (int trial = 0; trial < 200; ++trial) {
      const auto a = normals(n, random), b = normals(n, random);
      const Bootstrap options{.seed = static_cast<std::uint64_t>(trial) + 1, .draws = 300};
      const auto of_one = bootstrap_interval(a, median_of, options);
      const auto of_two = bootstrap_difference(a, b, median_of, options);
      one += of_one->low <= 0 && 0 <= of_one->high;
      two += of_two->low <= 0 && 0 <= of_two->high;
    }
    INFO("n " << n << ": " << one / 2.0 << "%, two samples " << two / 2.0 << "%");
    CHECK(one >= 180);
    CHECK(two >= 180);
    CHECK(one + two < 400);
  }
}

TEST_CASE("hierarchy: the coarsest level with six units is drawn") {
  specs::Random random(6);
  const auto round = [&](const std::string& host, double shift) {
    return PairedProcesses{
        host, {shift + 0.01 * normal(random), shift}, {0, 0.01 * normal(random)}};
  };
  std::vector<PairedProcesses> rounds;
  for (int i = 0; i < 5; ++i) rounds.push_back(round("a", 0.05));
  CHECK(!bootstrap_hierarchy(rounds, {}));
  for (int i = 0; i < 15; ++i) rounds.push_back(round("a", 0.05));
  const auto one_host = bootstrap_hierarchy(rounds, {});
  REQUIRE(one_host);
  CHECK(one_host->hosts == 1);
  CHECK(one_host->rounds == 20);
  CHECK(!one_host->over_hosts);
  CHECK(one_host->interval.low > 0.03);
  CHECK(one_host->interval.high < 0.07);

  // Seven hosts that differ: what holds of these rounds need not hold of other hosts.
  std::vector<PairedProcesses> spread;
  for (int host = 0; host < 7; ++host)
    for (int i = 0; i < 20; ++i)
      spread.push_back(round(std::string(1, static_cast<char>('a' + host)), 0.02 * host));
  const auto hosts = bootstrap_hierarchy(spread, {});
  REQUIRE(hosts);
  CHECK(hosts->over_hosts);
  CHECK(hosts->hosts == 7);
  CHECK(hosts->interval.high - hosts->interval.low > 0.04);
}

TEST_CASE("hierarchy: drawing every level is wider") {
  specs::Random random(7);
  std::vector<PairedProcesses> rounds;
  for (int i = 0; i < 20; ++i) rounds.push_back({"a", normals(20, random), normals(20, random)});
  const auto usual = bootstrap_hierarchy(rounds, {}), every = bootstrap_hierarchy(rounds, {}, true);
  CHECK(every->interval.high - every->interval.low >
        1.1 * (usual->interval.high - usual->interval.low));
}

}  // namespace bootstrap_tests
