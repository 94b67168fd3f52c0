// Counts far beyond what can be listed, and the arithmetic of sampling.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <numeric>

#include "resolver/sampler.hpp"
#include "resolver/tables/wide.hpp"
#include "tests/resolver/given.hpp"

namespace stackx::test {

using resolver::BigInt;
using resolver::violation;

namespace {

// A chain of components of ten versions each: a version goes with the same and the next one below
// it.
Given chain(int length) {
  std::string components;
  for (int i = 0; i < length; ++i) {
    std::string versions;
    for (int v = 1; v <= 10; ++v)
      versions += fmt::format(
          R"({}"{}": {{{}}})", v == 1 ? "" : ", ", v,
          i + 1 == length
              ? ""
              : fmt::format(R"("requires": {{"c{:03}": ">={},<={}"}})", i + 1, v - 1, v));
    components +=
        fmt::format(R"({}"c{:03}": {{"versions": {{{}}}}})", i == 0 ? "" : ", ", i, versions);
  }
  return {components, R"("requires": {"c000": "*"})"};
}

// The same by a recurrence of its own: ways to go on from version v.
BigInt chains(int length) {
  std::vector<BigInt> ways(11, 1);
  for (int i = 1; i < length; ++i)
    for (int v = 10; v >= 1; --v) ways[v] = ways[v] + (v > 1 ? ways[v - 1] : BigInt(0));
  return std::accumulate(ways.begin() + 1, ways.end(), BigInt(0));
}

}  // namespace

TEST_CASE("Counts are exact beyond 64 and 128 bits") {
  for (const int length : {1, 2, 12, 60, 200}) {
    INFO(length);
    CHECK(chain(length).resolver().count() == chains(length));
  }
  std::string components, roots;
  for (int i = 0; i < 60; ++i) {
    components += fmt::format(R"({}"c{}": {{"versions": {{"1": {{}}, "2": {{}}, "3": {{}}}}}})",
                              i ? ", " : "", i);
    roots += fmt::format(R"({}"c{}": "*")", i ? ", " : "", i);
  }
  const Given given(components, fmt::format(R"("requires": {{{}}})", roots));
  const auto resolver = given.resolver();
  CHECK(resolver.count() == boost::multiprecision::pow(BigInt(3), 60));
  CHECK(resolver.raw_combinations() == resolver.count());
  CHECK(resolver.shares().at("c7").at("2") * 3 == resolver.count());

  specs::SamplerSpec sampler;
  sampler.count = 50;
  sampler.seed = 1;
  const auto drawn = resolver.sample(sampler);
  CHECK(drawn.size() == 50);
  for (const auto& stack : drawn) CHECK_FALSE(violation(given.project, given.catalog, stack));
}

TEST_CASE("Shares of a component that is in every stack add up to the count") {
  const auto resolver = chain(100).resolver();
  const auto shares = resolver.shares();
  for (const auto& [name, versions] : shares) {
    BigInt sum = 0;
    for (const auto& [version, number] : versions) sum += number;
    CHECK(sum == resolver.count());
  }
}

TEST_CASE("The limit of memory names the components that are too entangled") {
  // Five components, each of whose versions wants every pair of others to differ in its own way.
  std::string components;
  for (int i = 0; i < 12; ++i) {
    std::string versions;
    for (int v = 0; v < 12; ++v) {
      std::string requirements;
      for (int j = i + 1; j < 12; ++j)
        requirements +=
            fmt::format(R"({}"c{}": "!={}")", j > i + 1 ? ", " : "", j, (v * (j - i)) % 12);
      versions += fmt::format(R"({}"{}": {{"requires": {{{}}}}})", v ? ", " : "", v, requirements);
    }
    components += fmt::format(R"({}"c{}": {{"versions": {{{}}}}})", i ? ", " : "", i, versions);
  }
  const Given given(components, R"("requires": {"c0": "*"})");
  const auto resolver = given.resolver({1 << 20});
  try {
    resolver.count();
    FAIL("counted");
  } catch (const resolver::TooEntangled& error) {
    CHECK(error.components().size() >= 8);
    CHECK_THAT(error.what(), Catch::Contains(error.components().front()));
    CHECK(error.code() == ErrorCode::bad_input);
  }
  CHECK_FALSE(resolver.explain());
}

TEST_CASE("Numbers below a bound are uniform, also beyond 64 bits") {
  specs::Random random(5);
  std::vector<int> seen(7);
  for (int i = 0; i < 7000; ++i) ++seen[static_cast<std::size_t>(resolver::below(random, 7))];
  for (const auto number : seen) CHECK((number > 900 && number < 1100));
  CHECK(resolver::below(random, 1) == 0);
  const BigInt bound = BigInt(3) << 100;
  int high = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto value = resolver::below(random, bound);
    REQUIRE(value < bound);
    high += value >= (BigInt(1) << 101);
  }
  CHECK((high > 900 && high < 1100));  // a third
}

TEST_CASE("Distinct ranks: every subset is equally likely, all of them if need be") {
  specs::Random random(11);
  std::map<std::vector<BigInt>, int> seen;
  for (int i = 0; i < 6000; ++i) ++seen[resolver::distinct_ranks(random, 4, 2)];
  CHECK(seen.size() == 6);
  for (const auto& [ranks, number] : seen) CHECK((number > 870 && number < 1130));
  CHECK(resolver::distinct_ranks(random, 5, 5) == std::vector<BigInt>{0, 1, 2, 3, 4});
  CHECK(resolver::distinct_ranks(random, 5, 0).empty());
}

TEST_CASE("Equal shares: what one cannot fill goes to the others") {
  using Shares = std::vector<std::uint64_t>;
  const auto shares = [](std::vector<BigInt> sizes, std::uint64_t count) {
    return resolver::equal_shares(sizes, count);
  };
  CHECK(shares({100, 100, 100}, 9) == Shares{3, 3, 3});
  CHECK(shares({100, 100, 100}, 10) == Shares{4, 3, 3});
  CHECK(shares({1, 100, 100}, 9) == Shares{1, 4, 4});
  CHECK(shares({1, 2, 100}, 20) == Shares{1, 2, 17});
  CHECK(shares({1, 2, 3}, 20) == Shares{1, 2, 3});
  CHECK(shares({0, 5}, 2) == Shares{0, 2});
  CHECK(shares({BigInt(1) << 200, 5}, 20) == Shares{15, 5});
  CHECK(shares({}, 5).empty());
}

}  // namespace stackx::test
