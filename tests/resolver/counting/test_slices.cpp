// Counting by joins, in slices and within bounds, against the tables' count and against trying
// everything.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "resolver/counting/exact.hpp"
#include "resolver/counting/rehearsal.hpp"
#include "resolver/counting/relaxed.hpp"
#include "resolver/counting/slices.hpp"
#include "resolver/problem.hpp"
#include "tests/cases.hpp"
#include "tests/resolver/given.hpp"
#include "tests/resolver/oracle.hpp"
#include "tests/resolver/random_problem.hpp"

namespace stackx::test {
namespace {

using resolver::BigInt;
using resolver::Network;
using resolver::Shape;

const std::uint64_t problems = cases(400, 10'000);

// Nothing if no stack is left.
std::optional<Network> network_of(const specs::Project& project, const specs::Catalog& catalog) {
  auto network = resolver::network_of(resolver::compile(project, catalog));
  if (!resolver::reduce(network)) return {};
  return network;
}

BigInt count(const Network& network) {
  return resolver::exact_count(network, resolver::make_plan(network, Shape::trie), {})
      .value()
      .count;
}

// Components of which no two may be of one version: rooks on a board.
Given rooks(int rows, int columns) {
  std::string components, roots;
  for (int row = 0; row < rows; ++row) {
    std::string versions;
    for (int column = 0; column < columns; ++column) {
      std::string conflicts;
      for (int other = row + 1; other < rows; ++other)
        conflicts += fmt::format(R"({}"r{:02}": "=={}")", conflicts.empty() ? "" : ", ", other, column);
      versions += fmt::format(R"({}"{}": {{"conflicts": {{{}}}}})", column ? ", " : "", column, conflicts);
    }
    components += fmt::format(R"({}"r{:02}": {{"versions": {{{}}}}})", row ? ", " : "", row, versions);
    roots += fmt::format(R"({}"r{:02}": "*")", row ? ", " : "", row);
  }
  return {components, fmt::format(R"("requires": {{{}}})", roots)};
}

BigInt placements(int rows, int columns) {
  BigInt product = 1;
  for (int row = 0; row < rows; ++row) product *= columns - row;
  return product;
}

}  // namespace

TEST_CASE("Joins and slices count random problems as trying everything does") {
  std::size_t cut = 0, loose = 0;
  for (std::uint64_t seed = 0; seed < problems; ++seed) {
    INFO("seed " << seed);
    const auto problem = random_problem(seed);
    const auto stacks = Oracle(problem.project, problem.catalog).stacks().size();
    const auto network = network_of(problem.project, problem.catalog);
    if (!network) {
      REQUIRE(stacks == 0);
      continue;
    }
    REQUIRE(count(*network) == stacks);
    // No table fits into nothing: everything is cut into slices of one solution each.
    const auto sliced = resolver::count_in_slices(*network, {0, 600});
    REQUIRE(sliced.low == stacks);
    REQUIRE(sliced.is_exact());
    cut += sliced.counted > 1;
    // An easier network of next to no entries.
    const auto above = resolver::upper_bound(*network, 4, {});
    if (!above) continue;
    REQUIRE(*above >= stacks);
    loose += *above > stacks;
  }
  CHECK(cut > problems / 10);
  CHECK(loose > 0);
}

TEST_CASE("Slices add up to a count known by arithmetic, whatever memory they have") {
  const auto given = rooks(8, 11);
  const auto network = network_of(given.project, given.catalog).value();
  CHECK(count(network) == placements(8, 11));
  for (const std::size_t kib : {16, 64, 1024}) {
    INFO(kib << " KiB");
    const auto sliced = resolver::count_in_slices(network, {kib << 10, 600});
    CHECK(sliced.low == placements(8, 11));
    CHECK(sliced.is_exact());
    CHECK((kib == 1024 || sliced.counted > 1));
  }
}

TEST_CASE("Where time is up the bounds hold the count") {
  const auto given = rooks(11, 20);
  const auto network = network_of(given.project, given.catalog).value();
  for (const double seconds : {0.0, 0.5}) {
    const auto bounds = resolver::count_in_slices(network, {std::size_t{1} << 20, seconds});
    CHECK_FALSE(bounds.is_exact());
    CHECK(bounds.bounded > 0);
    CHECK(bounds.low <= placements(11, 20));
    CHECK(bounds.high >= placements(11, 20));
  }
}

TEST_CASE("What outgrows its memory or its time says which") {
  const auto given = rooks(8, 11);
  const auto network = network_of(given.project, given.catalog).value();
  const auto plan = resolver::make_plan(network, Shape::trie);
  CHECK(resolver::exact_count(network, plan, {1 << 12}).error() == resolver::Joined::too_large);
  const auto before = std::chrono::steady_clock::now();
  const auto late = rooks(10, 20);
  const auto larger = network_of(late.project, late.catalog).value();
  CHECK(resolver::exact_count(larger, resolver::make_plan(larger, Shape::trie),
                              {std::size_t{4} << 30, before})
            .error() == resolver::Joined::out_of_time);
}

TEST_CASE("Numbers beyond one word, and beyond two") {
  // A chain: whoever follows is of the same version or the one below (test_space.cpp).
  for (const int length : {20, 60, 200}) {
    std::string components;
    for (int i = 0; i < length; ++i) {
      std::string versions;
      for (int v = 1; v <= 10; ++v)
        versions += fmt::format(R"({}"{}": {{{}}})", v == 1 ? "" : ", ", v,
                                i + 1 == length ? "" : fmt::format(R"("requires": {{"c{:03}": ">={},<={}"}})", i + 1, v - 1, v));
      components += fmt::format(R"({}"c{:03}": {{"versions": {{{}}}}})", i == 0 ? "" : ", ", i, versions);
    }
    const Given given(components, R"("requires": {"c000": "*"})");
    const auto network = network_of(given.project, given.catalog).value();
    CHECK(count(network) == given.resolver().count());
  }
}

TEST_CASE("A rehearsed plan counts what any plan counts") {
  const auto given = rooks(7, 11);
  const auto network = network_of(given.project, given.catalog).value();
  const auto counted = resolver::exact_count(network, resolver::rehearsed_plan(network), {});
  CHECK(counted.value().count == placements(7, 11));
}

}  // namespace stackx::test
