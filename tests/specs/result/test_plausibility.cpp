#include "specs/result/plausibility.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace stackx::specs;
using Catch::Matchers::Contains;

TEST_CASE("plausibility: what the median says decides, flop and bytes alike") {
  const RateLimit limit{1e12, 1e11};
  const std::vector<std::int64_t> honest{1000, 900, 1100}, one_outlier{1000, 1, 1100}, fast{10, 11, 1'000'000};
  CHECK_FALSE(why_implausible(limit, {1e6, 0, 0}, honest));  // 1,000 GFLOP/s: the limit itself
  CHECK_FALSE(why_implausible(limit, {9e5, 0, 0}, one_outlier));
  const auto why = why_implausible(limit, {1e6, 0, 0}, fast);
  REQUIRE(why);
  CHECK_THAT(*why, Contains("90909 GFLOP/s is more than such a device can do: 1000 at most"));
  CHECK_THAT(why_implausible(limit, {0, 1e6, 0}, honest).value(), Contains("1000 GB/s"));
  CHECK_FALSE(why_implausible(limit, {0, 0, 1e30}, fast));  // nobody knows how many items are too many
}

TEST_CASE("plausibility: without a limit, samples or times there is nothing to say") {
  CHECK_FALSE(why_implausible({}, {1e30, 1e30, 0}, std::vector<std::int64_t>{1}));
  CHECK_FALSE(why_implausible({1, 1}, {1e30, 0, 0}, {}));
  CHECK_FALSE(why_implausible({1, 1}, {1e30, 0, 0}, std::vector<std::int64_t>{0, 0}));
}
