#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/statistics/sentinels.hpp"
#include "tests/analysis/measurements.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

std::vector<store::Measurement> measured(std::uint64_t rounds, double difference) {
  std::vector<store::Measurement> all;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    all.push_back(measurement(stack("0.3.1"), round, 100 + static_cast<double>(round % 3)));
    auto second = measurement(stack("0.3.1"), round,
                              (100 + static_cast<double>((round + 1) % 3)) * difference);
    second.sentinel = true;
    second.arm += "+A";
    second.inspection += "+A";
    all.push_back(second);
  }
  return all;
}

Sentinels of(const std::vector<store::Measurement>& measurements) {
  std::vector<const store::Measurement*> pointers;
  for (const auto& m : measurements) pointers.push_back(&m);
  return sentinels(collect(pointers, here), 0.01, 0.95);
}

}  // namespace

TEST_CASE("sentinels: the measured false-positive rate, with its interval") {
  const Sentinels same = of(measured(12, 1));
  REQUIRE(same.tests.size() == 1);
  CHECK(same.tests[0].pairs == 12);
  CHECK(!same.tests[0].different);
  CHECK(same.able == 1);
  CHECK(same.different == 0);
  REQUIRE(same.rate);
  CHECK(same.rate->low == 0);
  CHECK(same.rate->high == Approx(0.975));  // Clopper-Pearson of 0 in 1: 1 - 0.025

  const Sentinels odd = of(measured(12, 1.2));
  CHECK(odd.different == 1);
  CHECK(odd.rate->low == Approx(0.025));
  CHECK(odd.rate->high == 1);
  CHECK(lines(odd, 0.95).back().find("called different: 1 of 1") != std::string::npos);
}

TEST_CASE("sentinels: campaigns are tests of their own; too few pairs are none") {
  auto all = measured(7, 1);
  for (auto m : measured(7, 1)) {
    m.campaign = std::string(64, 'd');
    m.inspection += "d";
    all.push_back(m);
  }
  CHECK(of(all).tests.size() == 2);
  CHECK(of(all).able == 2);

  const Sentinels few = of(measured(5, 3));
  CHECK(few.able == 0);
  CHECK(!few.rate);
  CHECK(!few.tests[0].different);
  CHECK(lines(few, 0.95).back().find("the 6 pairs that a test needs") != std::string::npos);
  CHECK(lines(of({}), 0.95).empty());
}
