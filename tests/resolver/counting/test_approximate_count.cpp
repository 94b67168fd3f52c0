// The approximate count by way of an easier problem, against exact counts.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "resolver/counting/approximate_count.hpp"
#include "resolver/tables/space.hpp"
#include "specs/random.hpp"
#include "tests/resolver/given.hpp"
#include "tests/resolver/random_problem.hpp"

namespace stackx::test {
namespace {

// Each version needs drifting ranges of some of the next components, and conflicts with some.
Given drifting(std::uint64_t seed, int components, int versions) {
  specs::Random random(seed);
  const auto below = [&](int bound) {
    return static_cast<int>(random.below(std::uint64_t(bound)));
  };
  std::string catalog;
  for (int c = 0; c < components; ++c) {
    std::string list;
    for (int v = 1; v <= versions; ++v) {
      std::string needs, conflicts;
      for (int d = c + 1; d < components && d <= c + 5; ++d) {
        auto& what = (c + d) % 4 == 0 ? conflicts : needs;
        const int from = v - 1 - below(4), to = v + 2 + below(4);
        what += fmt::format(R"({}"c{}": "{}")", what.empty() ? "" : ", ", d,
                            &what == &needs ? fmt::format(">={},<={}", std::max(from, 1), to)
                                            : fmt::format("=={}", std::max(from, 1)));
      }
      list += fmt::format(R"({}"{}": {{"requires": {{{}}}, "conflicts": {{{}}}}})",
                          v > 1 ? ", " : "", v, needs, conflicts);
    }
    catalog += fmt::format(R"({}"c{}": {{"versions": {{{}}}}})", c > 0 ? ", " : "", c, list);
  }
  return Given(catalog, R"("requires": {"c0": "*"})");
}

}  // namespace

TEST_CASE("The interval of the approximate count holds the count") {
  constexpr std::size_t plenty = std::size_t{1} << 30, little = 12'000;
  int held = 0, trials = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Given given = drifting(seed, 9, 8);
    const auto problem = resolver::compile(given.project, given.catalog);
    const auto exact = (*resolver::make_space(problem, plenty))->count();
    if (exact == 0) continue;
    const auto about = resolver::approximate_count(problem, seed, little);
    INFO(seed << ": " << exact << " in " << about.low << " " << about.estimate << " "
              << about.high);
    REQUIRE_FALSE(about.exact);
    CHECK(about.low <= about.estimate);
    CHECK(about.estimate <= about.high);
    CHECK(about.high <= about.estimate * 2 + 10);
    held += about.low <= exact && exact <= about.high;
    ++trials;
  }
  INFO(held << " of " << trials);
  CHECK(trials >= 15);
  CHECK(held >= trials - 3);  // 95% each: four misses of 20 have a probability of 1.6%

  const Given given = drifting(0, 9, 8);
  const auto problem = resolver::compile(given.project, given.catalog);
  CHECK(resolver::approximate_count(problem, 7, little).estimate ==
        resolver::approximate_count(problem, 7, little).estimate);
}

TEST_CASE("With enough memory the count is exact; without any, hashing counts what is small") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto random = random_problem(seed);
    const auto problem = resolver::compile(random.project, random.catalog);
    const auto exact = resolver::approximate_count(problem, seed);
    const auto hashed = resolver::approximate_count(problem, seed, 1);
    INFO(seed << "\n" << text(random));
    REQUIRE(exact.exact);
    if (exact.estimate < 70) REQUIRE(hashed.estimate == exact.estimate);
  }
}

}  // namespace stackx::test
