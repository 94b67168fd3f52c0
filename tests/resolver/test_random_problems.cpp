// Every answer of the resolver on 5,000 random problems (thorough: 20,000), against trying everything.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "resolver/resolver.hpp"
#include "specs/random.hpp"
#include "tests/cases.hpp"
#include "tests/resolver/oracle.hpp"
#include "tests/resolver/random_problem.hpp"

namespace stackx::test {
namespace {

using resolver::BigInt;
using resolver::Resolver;
using specs::Stack;

const std::uint64_t problems = cases(5'000, 20'000);

std::vector<Stack> listed(const Resolver& resolver) {
  std::vector<Stack> stacks;
  resolver.enumerate([&](const resolver::Choice& choice) {
    return stacks.push_back(resolver.stack(choice)), true;
  });
  return stacks;
}

// What is wrong with the resolver's answers; empty if nothing is.
class Comparison {
 public:
  explicit Comparison(std::uint64_t seed)
      : seed_(seed),
        problem_(random_problem(seed)),
        oracle_(problem_.project, problem_.catalog),
        resolver_(problem_.project, problem_.catalog) {
    for (const auto& assignment : oracle_.stacks()) stacks_.insert(oracle_.named(assignment));
  }

  const std::set<Stack>& stacks() const { return stacks_; }
  const Problem& problem() const { return problem_; }

  std::string counts() const {
    const auto reachable = oracle_.reachable();
    BigInt raw = 1;
    for (const auto& name : reachable) raw *= problem_.catalog.find(name)->versions.size();
    if (resolver_.components().size() != reachable.size()) return "components()";
    if (resolver_.raw_combinations() != raw) return "raw_combinations()";
    if (resolver_.count() != stacks_.size())
      return fmt::format("count() {} instead of {}", resolver_.count().str(), stacks_.size());
    return "";
  }

  std::string lists() const {
    const auto list = listed(resolver_);
    if (list.size() != stacks_.size()) return "enumerate(): number";
    if (std::set(list.begin(), list.end()) != stacks_) return "enumerate(): stacks";
    std::size_t seen = 0;
    resolver_.enumerate([&](const resolver::Choice&) { return ++seen < 2; });
    if (seen != std::min<std::size_t>(2, list.size())) return "enumerate() does not stop";
    return "";
  }

  std::string shares() const {
    std::map<std::string, std::map<std::string, BigInt>> expected;
    for (const auto& name : oracle_.reachable())
      for (const auto& entry : problem_.catalog.find(name)->versions)
        expected[name][entry.version.text()] = 0;
    for (const auto& stack : stacks_)
      for (const auto& [name, version] : stack.components) ++expected[name][version];
    if (resolver_.shares() != expected) return "shares()";
    return "";
  }

  std::string samples() const {
    specs::SamplerSpec sampler;
    sampler.seed = seed_;
    sampler.count = 4;
    for (const auto kind : {specs::SamplerSpec::Kind::uniform, specs::SamplerSpec::Kind::stratified,
                            specs::SamplerSpec::Kind::all}) {
      sampler.kind = kind;
      sampler.by = kind == specs::SamplerSpec::Kind::stratified ? "virtual-x" : "";
      const auto drawn = resolver_.sample(sampler);
      const bool all = kind == specs::SamplerSpec::Kind::all;
      if (drawn.size() != (all ? stacks_.size() : std::min<std::size_t>(4, stacks_.size())))
        return "sample(): number";
      const std::set<Stack> different(drawn.begin(), drawn.end());
      if (different.size() != drawn.size()) return "sample(): repetition";
      if (!std::ranges::includes(stacks_, different)) return "sample(): no stack";
    }
    return "";
  }

  std::string draws() const {
    std::string wrong = stacks_.empty() ? "" : "draw(): number";
    std::size_t number = 0;
    resolver_.draw(5, seed_, [&](const resolver::Choice& choice) {
      if (++number == 5) wrong.clear();
      if (!stacks_.contains(resolver_.stack(choice))) wrong = "draw(): no stack";
    });
    if (stacks_.empty() && number > 0) return "draw(): of nothing";
    return wrong;
  }

  // Scores with many ties, so that the order among equals shows.
  std::string best() const {
    specs::Random random(seed_);
    specs::Scores scores;
    for (const auto& component : resolver_.components())
      for (const auto& version : component.versions)
        if (random.below(4) > 0)
          scores.of[component.name][version] = static_cast<int>(random.below(7)) - 3;
    const auto score = [&](const Stack& stack) {
      specs::Score sum = 0;
      for (const auto& [name, version] : stack.components)
        if (scores.of.contains(name) && scores.of.at(name).contains(version))
          sum += scores.of.at(name).at(version);
      return sum;
    };
    auto expected = listed(resolver_);
    std::ranges::stable_sort(expected, std::ranges::greater{}, score);
    std::vector<Stack> ranked;
    bool sums = true;
    resolver_.best(scores, [&](const resolver::Choice& choice, specs::Score sum) {
      ranked.push_back(resolver_.stack(choice));
      sums = sums && sum == score(ranked.back());
      return true;
    });
    if (ranked != expected) return "best(): order";
    return sums ? "" : "best(): score";
  }

  std::string covers() const {
    for (const auto strength : {1 + static_cast<unsigned>(seed_ % 3)}) {
      const auto cover = resolver_.cover(strength, seed_);
      std::set<Combination> valid, covered;
      for (const auto& stack : stacks_) combinations(stack, strength, valid);
      for (const auto& stack : cover.stacks) {
        if (!stacks_.contains(stack)) return "cover(): no stack";
        combinations(stack, strength, covered);
      }
      if (cover.combinations != valid.size()) return "cover(): combinations";
      if (covered != valid) return "cover(): not complete";
      for (std::size_t left_out = 0; left_out < cover.stacks.size(); ++left_out) {
        std::set<Combination> without;
        for (std::size_t i = 0; i < cover.stacks.size(); ++i)
          if (i != left_out) combinations(cover.stacks[i], strength, without);
        if (without == valid) return "cover(): a superfluous stack";
      }
    }
    return "";
  }

  std::string explanation() const {
    const auto why = resolver_.explain();
    if (why.has_value() != stacks_.empty()) return "explain(): whether";
    if (!why) return "";
    if (why->clash.size() != why->clauses.size() || why->text().empty()) return "explain(): words";
    if (solvable(why->clauses)) return "explain(): does not clash\n" + why->text();
    if (must_be_named(problem_)) return "";  // what is left out of a clash may still name versions
    for (std::size_t left_out = 0; left_out < why->clauses.size(); ++left_out) {
      auto rest = why->clauses;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(left_out));
      if (!solvable(rest)) return "explain(): not minimal\n" + why->text();
    }
    return "";
  }

  // Every assignment of some problems, else some assignments, and every stack.
  std::string violations() const {
    specs::Random random(seed_);
    const bool thorough = seed_ % 50 == 0;
    std::string wrong;
    oracle_.each_assignment([&](const Assignment& assignment) {
      const bool is_stack = oracle_.is_stack(assignment);
      if (!thorough && !is_stack && random.below(40) != 0) return true;
      const auto stack = oracle_.named(assignment);
      const auto reason = resolver::violation(problem_.project, problem_.catalog, stack);
      if (reason.has_value() == is_stack)
        wrong = "violation(): " + reason.value_or("nothing, though it is no stack");
      return wrong.empty();
    });
    return wrong;
  }

 private:
  using Combination = std::vector<std::pair<std::string, std::string>>;

  static void combinations(const Stack& stack, unsigned strength, std::set<Combination>& into,
                           const Combination& begun = {}) {
    if (begun.size() == strength) {
      into.insert(begun);
      return;
    }
    for (const auto& one : stack.components) {
      if (!begun.empty() && one.first <= begun.back().first) continue;
      auto longer = begun;
      longer.push_back(one);
      combinations(stack, strength, into, longer);
    }
  }

  bool solvable(const std::vector<resolver::Clause>& clauses) const {
    const auto rest = only(problem_, clauses);
    return Oracle(rest.project, rest.catalog).solvable();
  }

  std::uint64_t seed_;
  Problem problem_;
  Oracle oracle_;
  Resolver resolver_;
  std::set<Stack> stacks_;
};

}  // namespace

TEST_CASE("The random problems are a fair mix") {
  std::size_t unsolvable = 0, several = 0, with_virtual = 0, with_condition = 0, largest = 0;
  std::size_t by_name = 0, named = 0;  // problems with versions that must be named, and those with stacks that hold some
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Comparison comparison(seed);
    const auto& stacks = comparison.stacks();
    unsolvable += stacks.empty();
    several += stacks.size() > 5;
    largest = std::max(largest, stacks.size());
    const auto& catalog = comparison.problem().catalog;
    by_name += must_be_named(comparison.problem());
    named += std::ranges::any_of(stacks, [&](const Stack& stack) {
      return std::ranges::any_of(stack.components, [&](const auto& held) {
        return catalog.find(held.first)->find(held.second)->by_name != specs::ByName::no;
      });
    });
    with_virtual += catalog.is_virtual("virtual-x");
    with_condition += std::ranges::any_of(catalog.components, [](const auto& one) {
      return std::ranges::any_of(one.second.versions,
                                 [](const auto& entry) { return !entry.requires_if.empty(); });
    });
  }
  INFO(unsolvable << " " << several << " " << with_virtual << " " << with_condition << " "
                  << largest);
  CHECK(unsolvable > 400);
  CHECK(unsolvable < 1400);
  CHECK(several > 150);
  CHECK(largest > 40);
  CHECK(with_virtual > 700);
  CHECK(with_condition > 1000);
  CHECK(by_name > 500);
  CHECK(named > 50);
}

TEST_CASE("Every answer agrees with trying everything") {
  for (std::uint64_t seed = 0; seed < problems; ++seed) {
    const Comparison comparison(seed);
    for (const auto compare :
         {&Comparison::counts, &Comparison::lists, &Comparison::shares, &Comparison::samples,
          &Comparison::draws, &Comparison::best, &Comparison::covers, &Comparison::explanation,
          &Comparison::violations}) {
      const auto wrong = (comparison.*compare)();
      if (!wrong.empty())
        FAIL(fmt::format("problem {}: {}\n{}", seed, wrong, text(comparison.problem())));
    }
  }
}

}  // namespace stackx::test
