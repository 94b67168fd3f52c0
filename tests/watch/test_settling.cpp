// The rule by which a pass ends: on made-up rates, with their truth known.
#include <catch2/catch.hpp>
#include <cmath>

#include "specs/random.hpp"
#include "watch/settling.hpp"

using namespace stackx;
using namespace stackx::watch;
using analysis::Verdict;
using specs::Outcome;
using State = Standing::State;

namespace {

double normal(specs::Random& random) {  // Box-Muller
  return std::sqrt(-2 * std::log1p(-random.unit())) * std::cos(6.283185307179586 * random.unit());
}

// Rounds until the rule says that it is enough. `effects`: of each newcomer, as a ratio to the advised stack.
struct Campaign {
  std::vector<ArmResult> results;
  std::uint64_t rounds = 0;
  std::size_t inspections = 0;
};

Campaign measure(const std::vector<double>& effects, double noise, std::uint64_t seed, const SettlingRule& rule) {
  specs::Random random(seed);
  Campaign campaign;
  for (;; ++campaign.rounds) {
    const auto arms = arms_of_round(campaign.results, effects.size(), campaign.rounds, rule);
    if (arms.empty()) return campaign;
    const double drift = normal(random) * 3 * noise;  // of the round, which pairs share
    for (const auto arm : arms) {
      campaign.results.push_back({arm, campaign.rounds, Outcome::ok, "", (arm == 0 ? 0 : std::log(effects[arm - 1])) + drift + noise * normal(random)});
      ++campaign.inspections;
    }
  }
}

Settling judged(const Campaign& campaign, std::size_t newcomers, const SettlingRule& rule) {
  return settle(campaign.results, newcomers, campaign.rounds, rule);
}

}  // namespace

TEST_CASE("watch settling: a difference of two times is plain at the first look") {
  const SettlingRule rule;
  REQUIRE(looks(1, rule).front() == 7);
  const auto campaign = measure({2.0, 0.5}, 0.02, 1, rule);
  const auto settled = judged(campaign, 2, rule);
  CHECK(settled.newcomers[0].is(Verdict::faster));
  CHECK(settled.newcomers[1].is(Verdict::slower));
  CHECK(campaign.rounds == looks(2, rule).front());
  CHECK(settled.newcomers[0].comparison.ratio == Approx(2).epsilon(0.05));
}

TEST_CASE("watch settling: equal versions are called different in 5% of passes at most, drift or not") {
  const SettlingRule rule;
  std::size_t wrong = 0;
  constexpr std::size_t passes = 400;
  for (std::uint64_t seed = 0; seed < passes; ++seed) {
    const auto settled = judged(measure({1.0, 1.0, 1.0}, 0.03, seed, rule), 3, rule);
    bool any = false;
    for (const auto& one : settled.newcomers) any = any || one.is(Verdict::faster) || one.is(Verdict::slower);
    wrong += any;
  }
  CHECK(wrong <= passes / 20);  // a delta of 1% leaves it far below
}

TEST_CASE("watch settling: without a delta the error is what was asked for") {
  SettlingRule rule;
  rule.delta = 1e-6;
  std::size_t wrong = 0;
  constexpr std::size_t passes = 400;
  for (std::uint64_t seed = 0; seed < passes; ++seed) {
    const auto settled = judged(measure({1.0, 1.0}, 0.03, 7'000 + seed, rule), 2, rule);
    wrong += settled.newcomers[0].is(Verdict::faster) || settled.newcomers[0].is(Verdict::slower) || settled.newcomers[1].is(Verdict::faster) ||
             settled.newcomers[1].is(Verdict::slower);
  }
  CHECK(wrong <= 30);  // 5% of 400 are 20; 30 are exceeded in 1 of 80 such tests
}

TEST_CASE("watch settling: where all rounds were measured anyway they are looked at once, all of them") {
  SettlingRule rule;
  const auto whole = measure({1.0}, 0.02, 2, rule);
  rule.most_rounds = 12;
  rule.looks_once = true;
  const auto settled = settle(whole.results, 1, 12, rule);
  CHECK(looks(1, rule) == std::vector<std::uint64_t>{12});
  CHECK(settled.newcomers[0].comparison.pairs == 12);
}

TEST_CASE("watch settling: a few percent are found where they are there, later") {
  const SettlingRule rule;
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) found += judged(measure({1.08}, 0.02, seed, rule), 1, rule).newcomers[0].is(Verdict::faster);
  CHECK(found >= 90);
}

TEST_CASE("watch settling: who is settled runs no more, and who is hopeless does not keep the others") {
  const SettlingRule rule;
  const auto campaign = measure({2.0, 1.002}, 0.02, 5, rule);
  const auto first = looks(2, rule).front();
  for (const auto& one : campaign.results) CHECK((one.arm != 1 || one.round < first));
  CHECK(campaign.rounds <= rule.most_rounds);
  CHECK_FALSE(judged(campaign, 2, rule).has_open());
}

TEST_CASE("watch settling: what cannot be built leaves at once, what failed twice, and an advised stack that fails ends it") {
  const SettlingRule rule;
  const std::vector<ArmResult> round{{0, 0, Outcome::ok, "", 0.0}, {1, 0, Outcome::build_failed, "no wheel", {}}, {2, 0, Outcome::crashed, "signal 11", {}}};
  CHECK(arms_of_round(round, 2, 1, rule) == std::vector<std::size_t>{0, 2});
  auto two = round;
  two.push_back({0, 1, Outcome::ok, "", 0.0});
  two.push_back({2, 1, Outcome::crashed, "signal 11", {}});
  CHECK(arms_of_round(two, 2, 2, rule).empty());
  const auto settled = settle(two, 2, 2, rule);
  CHECK(settled.newcomers[0].state == State::failed);
  CHECK(settled.newcomers[0].reason == "no wheel");
  CHECK(settled.newcomers[1].outcome == Outcome::crashed);
  std::vector<ArmResult> advised_fails{{0, 0, Outcome::build_failed, "gone", {}}, {1, 0, Outcome::ok, "", 0.0}};
  CHECK(arms_of_round(advised_fails, 1, 1, rule).empty());
  CHECK(settle(advised_fails, 1, 1, rule).advised_failed->reason == "gone");
}

TEST_CASE("watch settling: one failure among many rounds is no reason to leave") {
  const SettlingRule rule;
  auto campaign = measure({2.0}, 0.01, 3, rule);
  for (auto& one : campaign.results)
    if (one.arm == 1 && one.round == 2) one = {1, 2, Outcome::timed_out, "too long", {}};
  CHECK(settle(campaign.results, 1, campaign.rounds, rule).newcomers[0].state != State::failed);
}

TEST_CASE("watch settling: nobody new runs as long as a first look takes") {
  const SettlingRule rule;
  const auto campaign = measure({}, 0.01, 1, rule);
  CHECK(campaign.rounds == looks(0, rule).front());
  CHECK(progress_of(campaign.results, 0, rule).is_complete);
}

TEST_CASE("watch settling: wherever a pass is cut, it goes on to the same end") {
  const SettlingRule rule;
  const auto whole = measure({1.3, 0.98, 1.0}, 0.02, 11, rule);
  const auto end = progress_of(whole.results, 3, rule);
  CHECK(end.is_complete);
  CHECK(end.rounds == whole.rounds);
  for (std::size_t kept = 0; kept < whole.results.size(); kept += 7) {
    const std::vector<ArmResult> part(whole.results.begin(), whole.results.begin() + static_cast<std::ptrdiff_t>(kept));
    const auto so_far = progress_of(part, 3, rule);
    CHECK_FALSE(so_far.is_complete);
    CHECK(so_far.rounds <= whole.results[kept].round);
    CHECK(arms_of_round(part, 3, so_far.rounds, rule) == arms_of_round(whole.results, 3, so_far.rounds, rule));
  }
}
