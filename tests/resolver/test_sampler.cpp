// Uniform and stratified samples: uniform indeed, and the same everywhere.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "specs/random.hpp"
#include "tests/resolver/given.hpp"
#include "tests/resolver/oracle.hpp"
#include "tests/resolver/random_problem.hpp"

namespace stackx::test {
namespace {

using Kind = specs::SamplerSpec::Kind;
using Words = std::vector<std::string>;

specs::SamplerSpec sampler(Kind kind, std::uint64_t count, std::uint64_t seed,
                           std::string by = "") {
  specs::SamplerSpec result;
  result.kind = kind;
  result.count = count;
  result.seed = seed;
  result.by = std::move(by);
  return result;
}

Words drawn(const resolver::Resolver& resolver, const specs::SamplerSpec& how) {
  Words result;
  for (const auto& stack : resolver.sample(how)) result.push_back(words(stack));
  return result;
}

// Far above what chance gives: the 1 - 1e-6 quantile of chi-square (Wilson and Hilferty).
double chi_square_limit(std::size_t degrees) {
  const double k = static_cast<double>(degrees), z = 4.753;
  return k * std::pow(1 - 2 / (9 * k) + z * std::sqrt(2 / (9 * k)), 3);
}

double chi_square(const std::map<std::string, int>& seen, double expected) {
  double sum = 0;
  for (const auto& [what, number] : seen)
    sum += (number - expected) * (number - expected) / expected;
  return sum;
}

const Given& sampled_library() {
  static const Given given(R"(
    "openblas": {"versions": {"1": {"provides": {"blas": "1"}}, "2": {"provides": {"blas": "1"}},
                              "3": {"provides": {"blas": "1"}}, "4": {"provides": {"blas": "1"}}}},
    "mkl": {"versions": {"1": {"provides": {"blas": "1"}, "requires": {"omp": "*"}}}},
    "blis": {"versions": {"1": {"provides": {"blas": "1"}}}},
    "omp": {"versions": {"1": {}, "2": {}}},
    "threads": {"kind": "setting", "versions": {"1": {}, "2": {}, "4": {}}})",
                           R"("requires": {"blas": "*", "threads": "*"})");
  return given;
}

}  // namespace

TEST_CASE("One stack for a campaign is uniform over all, by chi-square") {
  std::size_t tested = 0;
  for (std::uint64_t seed = 0; tested < 4; ++seed) {
    const auto problem = random_problem(seed);
    const Oracle oracle(problem.project, problem.catalog);
    const auto stacks = oracle.stacks();
    if (stacks.size() < 8) continue;
    ++tested;
    const resolver::Resolver resolver(problem.project, problem.catalog);
    std::map<std::string, int> seen;
    for (const auto& stack : stacks) seen[words(oracle.named(stack))] = 0;
    const int rounds = 40 * static_cast<int>(stacks.size());
    for (int i = 0; i < rounds; ++i)
      ++seen.at(drawn(resolver, sampler(Kind::uniform, 1, static_cast<std::uint64_t>(i))).front());
    INFO("problem " << seed);
    CHECK(chi_square(seen, 40) < chi_square_limit(stacks.size() - 1));
  }
}

TEST_CASE("Independent draws are uniform over all stacks, by chi-square, pairs of them too") {
  std::size_t tested = 0;
  for (std::uint64_t seed = 0; tested < 60; ++seed) {
    const auto problem = random_problem(seed);
    const Oracle oracle(problem.project, problem.catalog);
    const auto stacks = oracle.stacks();
    if (stacks.size() < 8 || stacks.size() > 60) continue;
    ++tested;
    const resolver::Resolver resolver(problem.project, problem.catalog);
    std::map<std::string, int> seen, pairs;
    for (const auto& stack : stacks) {
      seen[words(oracle.named(stack))] = 0;
      for (const auto& other : stacks)
        pairs[words(oracle.named(stack)) + "; " + words(oracle.named(other))] = 0;
    }
    const auto rounds = 20 * stacks.size() * stacks.size();
    std::string before;
    resolver.draw(rounds + 1, seed, [&](const resolver::Choice& choice) {
      const auto stack = words(resolver.stack(choice));
      if (!before.empty()) {
        ++seen.at(stack);
        ++pairs.at(before + "; " + stack);
      }
      before = stack;
    });
    INFO("problem " << seed);
    CHECK(chi_square(seen, static_cast<double>(20 * stacks.size())) <
          chi_square_limit(stacks.size() - 1));
    CHECK(chi_square(pairs, 20) < chi_square_limit(stacks.size() * stacks.size() - 1));
  }
}

TEST_CASE("Stacks that are apart differ in more components than draws do") {
  std::string components, roots;
  for (int i = 0; i < 12; ++i) {
    components += fmt::format(R"({}"c{}": {{"versions": {{"1": {{}}, "2": {{}}, "3": {{}}}}}})",
                              i ? ", " : "", i);
    roots += fmt::format(R"({}"c{}": "*")", i ? ", " : "", i);
  }
  const Given given(components, fmt::format(R"("requires": {{{}}})", roots));
  const auto resolver = given.resolver();
  const auto stacks = resolver.apart(6, 7);
  REQUIRE(stacks.size() == 6);
  std::size_t nearest = 12;
  for (std::size_t i = 0; i < stacks.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      std::size_t different = 0;
      for (const auto& [name, version] : stacks[i].components)
        different += stacks[j].components.at(name) != version;
      nearest = std::min(nearest, different);
    }
  CHECK(nearest >= 8);  // three of them can differ everywhere, six in 9 of 12 at best
  CHECK(sampled_library().resolver().apart(100, 1).size() == 21);
}

TEST_CASE("Several draws: every position is uniform, and no stack comes twice") {
  const auto resolver = sampled_library().resolver();
  REQUIRE(resolver.count() == 21);
  std::vector<std::map<std::string, int>> seen(5);
  for (std::uint64_t seed = 0; seed < 2100; ++seed) {
    const auto stacks = drawn(resolver, sampler(Kind::uniform, 5, seed));
    REQUIRE(std::set(stacks.begin(), stacks.end()).size() == 5);
    for (std::size_t i = 0; i < 5; ++i) ++seen[i][stacks[i]];
  }
  for (const auto& position : seen) {
    CHECK(position.size() == 21);
    CHECK(chi_square(position, 100) < chi_square_limit(20));
  }
}

TEST_CASE("Stratified: equal shares over the providers, uniform inside each") {
  const auto resolver = sampled_library().resolver();
  const auto providers = [&](std::uint64_t count) {
    std::map<std::string, int> number;
    for (const auto& stack : resolver.sample(sampler(Kind::stratified, count, 3, "blas")))
      for (const char* provider : {"openblas", "mkl", "blis"})
        number[provider] += static_cast<int>(stack.components.count(provider));
    return number;
  };
  using Numbers = std::map<std::string, int>;
  CHECK(providers(6) == Numbers{{"blis", 2}, {"mkl", 2}, {"openblas", 2}});
  CHECK(providers(15) == Numbers{{"blis", 3}, {"mkl", 6}, {"openblas", 6}});
  CHECK(providers(21) == Numbers{{"blis", 3}, {"mkl", 6}, {"openblas", 12}});
  CHECK(providers(99) == Numbers{{"blis", 3}, {"mkl", 6}, {"openblas", 12}});

  std::map<std::string, int> seen;
  for (std::uint64_t seed = 0; seed < 1200; ++seed)
    for (const auto& stack : drawn(resolver, sampler(Kind::stratified, 3, seed, "blas")))
      if (stack.starts_with("openblas")) ++seen[stack];
  CHECK(seen.size() == 12);
  CHECK(chi_square(seen, 100) < chi_square_limit(11));
}

TEST_CASE("Stratified: stacks without a provider are a stratum of their own") {
  const Given given(R"(
    "app": {"versions": {"1": {}, "2": {}, "3": {"requires": {"blas": "*"}}}},
    "mkl": {"versions": {"1": {"provides": {"blas": "1"}}}})",
                    R"("requires": {"app": "*"})");
  CHECK(drawn(given.resolver(), sampler(Kind::stratified, 2, 0, "blas")).size() == 2);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto stacks = drawn(given.resolver(), sampler(Kind::stratified, 2, seed, "blas"));
    CHECK(std::ranges::count(stacks, "app 3, mkl 1") == 1);
  }
  CHECK(drawn(given.resolver(), sampler(Kind::stratified, 9, 0, "blas")).size() == 3);
  CHECK(drawn(given.resolver(), sampler(Kind::stratified, 9, 0, "nobody")).size() == 3);
}

TEST_CASE("All: every stack, in the order of enumerate()") {
  Words listed;
  const auto resolver = sampled_library().resolver();
  resolver.enumerate([&](const resolver::Choice& one) {
    return listed.push_back(words(resolver.stack(one))), true;
  });
  CHECK(drawn(resolver, sampler(Kind::all, 1, 0)) == listed);
}

TEST_CASE("A seed gives the same stacks on every machine") {
  const auto resolver = sampled_library().resolver();
  CHECK(drawn(resolver, sampler(Kind::uniform, 4, 42)) ==
        Words{"openblas 2, threads 4", "openblas 2, threads 2", "mkl 1, omp 2, threads 2",
              "openblas 2, threads 1"});
  CHECK(drawn(resolver, sampler(Kind::stratified, 4, 42, "blas")) ==
        Words{"blis 1, threads 4", "mkl 1, omp 2, threads 2", "blis 1, threads 2",
              "openblas 2, threads 4"});
  Words independent;
  resolver.draw(4, 42, [&](const resolver::Choice& choice) {
    independent.push_back(words(resolver.stack(choice)));
  });
  CHECK(independent == Words{"openblas 2, threads 4", "openblas 1, threads 1",
                             "openblas 2, threads 1", "openblas 1, threads 1"});
}

}  // namespace stackx::test
