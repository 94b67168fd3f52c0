// A hundred seeded searches of each kind on a made-up clock: is the answer right, and what does it cost?
//
// A value is the log of a rate: what the groups do, a drift that all stacks of a round share (5%), and noise of its own. The
// price of a verdict is what `stackx compare` would take to find an effect of that size at that noise.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <set>

#include "analysis/statistics/comparison.hpp"
#include "blame/search/search.hpp"
#include "specs/random.hpp"
#include "tests/cases.hpp"

using namespace stackx;
using namespace stackx::blame;

namespace {

const std::uint64_t runs = test::cases(100, 1000);
const std::uint64_t nearly_all = runs * 95 / 100;
constexpr double large = 0.75, usual = 0.80;  // what a culprit makes of the rate

double normal(specs::Random& random) {
  return std::sqrt(-2 * std::log(1 - random.unit())) * std::cos(2 * std::numbers::pi * random.unit());
}

using World = std::function<std::optional<double>(const Subset&)>;

Answer look(const Lattice& lattice, const World& world, double noise, std::uint64_t seed, std::size_t most = ~std::size_t{0}) {
  specs::Random random(specs::derive_seed(seed, "noise"));
  Settings settings;
  settings.seed = seed;
  std::size_t spent = 0;
  return search(lattice, settings, [&](Stage, const std::vector<Subset>& stacks) -> std::optional<Rounds::Values> {
    if (spent + stacks.size() > most) return std::nullopt;
    spent += stacks.size();
    const double drift = 0.05 * normal(random);
    Rounds::Values values;
    for (const auto& stack : stacks) {
      if (!lattice.is_closed(stack)) FAIL("a stack that is none");
      const auto value = world(stack);
      values.push_back(value ? std::optional(drift + *value + noise * normal(random)) : std::nullopt);
    }
    return values;
  });
}

std::set<Groups> named(const Answer& answer) {
  std::set<Groups> result;
  for (const auto& suspect : answer.suspects)
    if (suspect.role != Suspect::Role::none) result.insert(suspect.groups);
  return result;
}

struct Tally {
  std::uint64_t right = 0, cheap = 0;
};

Tally tally(const Lattice& lattice, const World& world, double noise, const std::set<Groups>& culprits) {
  const auto verdict = 2 * analysis::rounds_to_find(1 - large, 0.01, noise, 1, 0.95).value();
  const double allowed = (3 * std::log2(static_cast<double>(lattice.size())) + 10) * static_cast<double>(verdict);
  Tally result;
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    const auto answer = look(lattice, world, noise, seed);
    result.right += named(answer) == culprits;
    result.cheap += static_cast<double>(answer.inspections) <= allowed;
  }
  return result;
}

Lattice loose(std::size_t size) { return Lattice(std::vector<Groups>(size)); }

double effect(bool is_there, double rate = large) { return is_there ? std::log(rate) : 0; }

}  // namespace

TEST_CASE("one culprit among 1, 2, 3, 5, 20 and 40, at noise of 1%, 3% and 10%") {
  for (const double noise : {0.01, 0.03, 0.10})
    for (const std::size_t size : {1, 2, 3, 5, 20, 40}) {
      const std::size_t culprit = size * 2 / 3;
      const auto found = tally(loose(size), [&](const Subset& s) { return effect(s[culprit]); }, noise, {{culprit}});
      CAPTURE(noise, size);
      CHECK(found.right >= nearly_all);
      CHECK(found.cheap >= nearly_all);
    }
}

TEST_CASE("two culprits, an interaction, one that another's gain hides wholly or in part") {
  const auto lattice = loose(20);
  for (const double noise : {0.01, 0.03, 0.10}) {
    CAPTURE(noise);
    CHECK(tally(lattice, [](const Subset& s) { return effect(s[3]) + effect(s[14], usual); }, noise, {{3}, {14}}).right >= nearly_all);
    CHECK(tally(lattice, [](const Subset& s) { return effect(s[3] && s[14]); }, noise, {{3}, {14}}).right >= nearly_all);
    CHECK(tally(lattice, [](const Subset& s) { return effect(s[3]) - effect(s[14]); }, noise, {{3}, {14}}).right >= nearly_all);
    if (noise < 0.1) CHECK(tally(lattice, [](const Subset& s) { return effect(s[3]) + effect(s[14], 1.16); }, noise, {{3}, {14}}).right >= nearly_all);
  }
}

TEST_CASE("few groups: every combination is measured") {
  for (const double noise : {0.01, 0.10}) {
    CAPTURE(noise);
    CHECK(tally(loose(3), [](const Subset& s) { return effect(s[0] && s[2]); }, noise, {{0}, {2}}).right >= nearly_all);
    CHECK(tally(loose(3), [](const Subset& s) { return effect(s[0]) + effect(s[1], usual); }, noise, {{0}, {1}}).right >= nearly_all);
  }
}

TEST_CASE("nothing: no culprit is named, and the bound holds") {
  for (const double noise : {0.01, 0.10})
    for (const std::size_t size : {1, 5, 40}) {
      CAPTURE(noise, size);
      std::uint64_t silent = 0, held = 0;
      for (std::uint64_t seed = 0; seed < runs; ++seed) {
        const auto answer = look(loose(size), [](const Subset&) { return 0.0; }, noise, seed);
        silent += named(answer).empty() && answer.kind == Answer::Kind::none;
        held += answer.total.interval && answer.total.interval->low <= 0 && answer.total.interval->high >= 0;
      }
      CHECK(silent >= nearly_all);
      CHECK(held >= nearly_all);
    }
}

TEST_CASE("a culprit that others are bound to, and versions one after the other") {
  std::vector<Groups> threes(21), chain(30);
  for (std::size_t group = 0; group < threes.size(); ++group)
    for (std::size_t other = group - group % 3; other < group; ++other) threes[group].push_back(other);
  for (std::size_t group = 0; group < chain.size(); ++group)
    for (std::size_t other = 0; other < group; ++other) chain[group].push_back(other);
  for (const double noise : {0.01, 0.10})
    for (const std::size_t culprit : {9, 10, 11}) {
      CAPTURE(noise, culprit);
      CHECK(tally(Lattice(threes), [&](const Subset& s) { return effect(s[culprit]); }, noise, {{culprit}}).right >= nearly_all);
      CHECK(tally(Lattice(chain), [&](const Subset& s) { return effect(s[culprit]); }, noise, {{culprit}}).right >= nearly_all);
    }
}

TEST_CASE("the interval of a culprit's effect holds what it is") {
  std::uint64_t held = 0;
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    const auto answer = look(loose(20), [](const Subset& s) { return effect(s[7]); }, 0.05, seed);
    REQUIRE_FALSE(answer.suspects.empty());
    const auto& [low, high] = std::pair(answer.suspects[0].low.interval, answer.suspects[0].high.interval);
    held += low && high && low->low <= std::log(large) && low->high >= std::log(large) && high->low <= std::log(large) &&
            high->high >= std::log(large);
  }
  CHECK(held >= nearly_all);
}

TEST_CASE("stacks that do not run are walked around; what cannot be told apart is one suspect") {
  // 8 and 9 run together only, whatever their metadata says.
  const World world = [](const Subset& s) -> std::optional<double> {
    if (s[8] != s[9]) return std::nullopt;
    return effect(s[8] && s[9]);
  };
  std::uint64_t right = 0;
  for (std::uint64_t seed = 0; seed < runs; ++seed) right += named(look(loose(12), world, 0.01, seed)) == std::set<Groups>{{8, 9}};
  CHECK(right >= nearly_all);
}

TEST_CASE("an end that does not run is told apart") {
  CHECK(look(loose(5), [](const Subset& s) { return s[2] ? std::nullopt : std::optional(0.0); }, 0.01, 1).kind == Answer::Kind::new_fails);
  CHECK(look(loose(5), [](const Subset& s) { return s[2] ? std::optional(0.0) : std::nullopt; }, 0.01, 1).kind == Answer::Kind::old_fails);
}

TEST_CASE("a budget that runs out leaves what is known, at any point") {
  const World world = [](const Subset& s) { return effect(s[7]); };
  for (std::size_t most = 0; most < 90; most += 3) {
    const auto answer = look(loose(20), world, 0.01, 5, most);
    CHECK(answer.inspections <= most);
    if (!answer.complete) CHECK(named(answer).size() <= 1);
    if (!answer.narrowed.empty()) CHECK(std::ranges::find(answer.narrowed, std::size_t{7}) != answer.narrowed.end());
  }
}

TEST_CASE("a search goes on where its rounds end, whatever the cut") {
  const auto lattice = loose(9);
  Settings settings;
  specs::Random random(3);
  std::vector<MeasuredRound> history;
  while (true) {
    const auto step = next(lattice, settings, history);
    CHECK(step.used == history.size());
    if (!step.stage) break;
    Rounds::Values values;
    for (const auto& stack : step.stacks) values.push_back(effect(stack[4]) + 0.01 * normal(random));
    history.push_back({step.stacks, values});
  }
  const auto whole = next(lattice, settings, history).answer;
  CHECK(named(whole) == std::set<Groups>{{4}});
  for (std::size_t cut = 0; cut < history.size(); ++cut) {
    const auto again = next(lattice, settings, {history.begin(), history.begin() + static_cast<std::ptrdiff_t>(cut)});
    REQUIRE(again.stage);
    CHECK(again.stacks == history[cut].stacks);
  }
  history[2].stacks = {lattice.none(), lattice.with(lattice.none(), {0})};  // of another search
  CHECK(next(lattice, settings, history).used == 2);
}

TEST_CASE("what it will take is told beforehand") {
  CHECK(usual_inspections(loose(1), {}) == 18);
  CHECK(usual_inspections(loose(1), {.most_inspections = 4}) == 18);  // whatever the budget
  CHECK(usual_inspections(loose(40), {}) < 120);
}
