// The rate of an inspection, against the median of each sample's own rate.
#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/ranking/rates.hpp"
#include "specs/random.hpp"
#include "specs/result/order_statistics.hpp"
#include "tests/analysis/measurements.hpp"

namespace rates_tests {

using namespace stackx;
using namespace stackx::analysis;

TEST_CASE("items are called what they are, of our own indicators") {
  CHECK(unit_in_words("items/s", {"transformer", {}}) == "tokens/s");
  CHECK(unit_in_words("items/s", {"train_resnet50", {}}) == "images/s");
  CHECK(unit_in_words("items/s", {"sort", {}}) == "items/s");
  CHECK(unit_in_words("GFLOP/s", {"transformer", {}}) == "GFLOP/s");
  specs::Workload of_others{"transformer", {}};
  of_others.program = std::string(64, 'a');
  CHECK(unit_in_words("items/s", of_others) == "items/s");
}

TEST_CASE("rates: the middle samples give the median of all rates, to the last bit") {
  specs::Random random(3);
  const specs::Work work{2.0 * 512 * 512 * 512, 12.0 * 512 * 512, 1};
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<std::int64_t> samples(1 + random.below(60));
    const std::uint64_t widest = trial % 2 == 0 ? 10 : 1'000'000'000'000;  // ties, and none
    for (auto& sample : samples) sample = 1 + static_cast<std::int64_t>(random.below(widest));
    for (const auto& [unit, amount] : {std::pair{"GFLOP/s", work.flop}, {"GB/s", work.bytes}, {"items/s", work.items * 1e9}}) {
      std::vector<double> rates;
      for (const auto sample : samples) rates.push_back(amount / static_cast<double>(sample));
      REQUIRE(rate_of(samples, work, unit) == specs::median(rates));
    }
    samples[random.below(samples.size())] = -static_cast<std::int64_t>(random.below(2));
    REQUIRE(rate_of(samples, work, "GFLOP/s") == 0);
  }
  CHECK(rate_of(std::vector<std::int64_t>{}, work, "GFLOP/s") == 0);
  CHECK(rate_of(std::vector<std::int64_t>{5}, {}, "GFLOP/s") == 0);
}

}  // namespace rates_tests
