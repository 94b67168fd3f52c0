// Which arms run in which round, by strategy; no process runs here.
#include <catch2/catch.hpp>
#include <set>

#include "campaigns/adaptive_schedule.hpp"
#include "campaigns/campaign.hpp"

using namespace stackx;
using specs::StrategySpec;

namespace {

specs::Plan plan_of(StrategySpec strategy, std::size_t stacks, std::uint64_t rounds,
                    std::uint64_t sentinels = 0, std::size_t workloads = 1) {
  specs::Project project;
  project.name = "test";
  for (std::size_t i = 0; i < workloads; ++i)
    project.workloads.push_back({"matmul", {{"m", std::to_string(i + 1)}}});
  project.campaign.strategy = strategy;
  project.campaign.rounds = rounds;
  project.campaign.sentinels = sentinels;
  std::vector<specs::Stack> all;
  for (std::size_t i = 0; i < stacks; ++i) all.push_back({{{"lib", std::to_string(i)}}});
  return campaigns::make_plan(project, all, "2026-01-01T00:00:00.000Z");
}

specs::Inspection result(const specs::Plan& plan, std::size_t place, std::uint64_t round,
                         std::int64_t ns) {
  specs::Inspection inspection;
  inspection.arm = plan.arms[place].label;
  inspection.round = round;
  inspection.stack = plan.arms[place].stack;
  inspection.workload = plan.arms[place].workload;
  inspection.sentinel = plan.arms[place].sentinel;
  inspection.work.flop = 1e6;
  if (ns > 0)
    inspection.samples_ns = {ns, ns, ns};
  else
    inspection.outcome = specs::Outcome::crashed;
  return inspection;
}

// Runs the campaign; an inspection takes time(place, round) ns, 0: it crashes.
using Rounds = std::vector<std::set<std::size_t>>;
Rounds run(const specs::Plan& plan,
           const std::function<std::int64_t(std::size_t, std::uint64_t)>& time) {
  const auto schedule = campaigns::make_schedule(plan);
  Rounds rounds;
  for (std::uint64_t round = 0;; ++round) {
    const auto arms = schedule->arms(round);
    if (arms.empty()) return rounds;
    REQUIRE(round < schedule->most_rounds());
    rounds.emplace_back(arms.begin(), arms.end());
    for (const std::size_t place : arms)
      schedule->add(result(plan, place, round, time(place, round)));
  }
}

std::int64_t wobble(std::size_t place, std::uint64_t round) {  // up to 0.4%
  return static_cast<std::int64_t>((place * 7 + round * 3) % 5) * 1000;
}

}  // namespace

TEST_CASE("schedule: fixed runs every arm in every round") {
  const auto plan = plan_of({}, 3, 4, 1);
  CHECK(run(plan, [](auto, auto) { return 1000; }) == Rounds(4, {0, 1, 2, 3}));
}

TEST_CASE("schedule: a race keeps a sentinel and its original until the finals") {
  const StrategySpec race{.kind = StrategySpec::Kind::race, .final_rounds = 6};
  const auto plan = plan_of(race, 4, 20, 1);
  const std::string original = plan.arms[4].label.substr(0, plan.arms[4].label.rfind('+'));
  const auto place = static_cast<std::size_t>(
      std::ranges::find(plan.arms, original, &specs::Arm::label) - plan.arms.begin());
  // Whoever is the sentinel's original is slow, and so is one more; two are nearly equal.
  std::vector<std::int64_t> speed(5, 1'000'000);
  speed[place] = speed[4] = 3'000'000;
  speed[(place + 1) % 4] = 2'000'000;
  const auto rounds = run(
      plan, [&](std::size_t arm, std::uint64_t round) { return speed[arm] + wobble(arm, round); });
  REQUIRE(rounds.size() == 8);  // two of the race, six of the finals
  CHECK(rounds[0].size() == 5);
  CHECK(rounds[1].contains(4));
  std::set<std::size_t> finalists;
  for (std::size_t arm = 0; arm < 4; ++arm)
    if (speed[arm] == 1'000'000) finalists.insert(arm);
  for (std::size_t round = 2; round < 8; ++round) CHECK(rounds[round] == finalists);
}

TEST_CASE("schedule: workloads race apart") {
  const StrategySpec race{.kind = StrategySpec::Kind::race, .final_rounds = 6};
  const auto plan = plan_of(race, 3, 10, 0, 2);
  // The second workload takes a hundred times as long; in each, the last stack is slow.
  const auto rounds = run(plan, [&](std::size_t arm, std::uint64_t round) {
    const bool second = plan.arms[arm].workload.params.at("m") == "2";
    const bool slow = plan.arms[arm].stack.components.at("lib") == "2";
    return (second ? 100 : 1) * ((slow ? 2'000'000 : 1'000'000) + wobble(arm, round));
  });
  REQUIRE(rounds.size() == 8);
  CHECK(rounds[0].size() == 6);
  CHECK(rounds[2].size() == 4);
  for (const std::size_t arm : rounds[2]) CHECK(plan.arms[arm].stack.components.at("lib") != "2");
}

TEST_CASE("schedule: precision lets each arm go when its interval is narrow") {
  const StrategySpec precision{.kind = StrategySpec::Kind::precision, .width = 0.01};
  const auto plan = plan_of(precision, 2, 30);
  const auto rounds = run(plan, [](std::size_t arm, std::uint64_t round) -> std::int64_t {
    if (arm == 0) return 1'000'000;
    return 1'000'000 + (round < 3 ? 200'000 : 0) + 1000 * static_cast<std::int64_t>(round % 3);
  });
  CHECK(rounds[7] == std::set<std::size_t>{0, 1});
  CHECK(rounds[8] == std::set<std::size_t>{1});  // three wild rounds in eight are not narrow
  CHECK(rounds.size() > 8);
  CHECK(rounds.size() < 30);
}

TEST_CASE("schedule: learn leaves out what fails twice") {
  const StrategySpec learn{.kind = StrategySpec::Kind::learn, .batch = 2};
  const auto plan = plan_of(learn, 4, 12);
  const auto rounds = run(plan, [](std::size_t arm, std::uint64_t round) -> std::int64_t {
    return arm == 3 ? 0 : 1'000'000 + wobble(arm, round);
  });
  CHECK(rounds.size() == 12);
  std::size_t failing = 0;
  for (const auto& round : rounds) {
    CHECK(round.size() == 2);
    failing += round.contains(3);
  }
  CHECK(failing == 2);
}

TEST_CASE("schedule: what a later round brought does not change an earlier one") {
  const StrategySpec race{.kind = StrategySpec::Kind::race, .final_rounds = 6};
  const auto plan = plan_of(race, 3, 10);
  const auto time = [](std::size_t arm, std::uint64_t round) {
    return (arm == 2 ? 2'000'000 : 1'000'000) + wobble(arm, round);
  };
  const Rounds whole = run(plan, time);
  const auto resumed = campaigns::make_schedule(plan);  // all results of an earlier start come first
  for (std::uint64_t round = 0; round < whole.size(); ++round)
    for (const std::size_t arm : whole[round])
      resumed->add(result(plan, arm, round, time(arm, round)));
  for (std::uint64_t round = 0; round < whole.size(); ++round) {
    const auto arms = resumed->arms(round);
    CHECK(std::set<std::size_t>(arms.begin(), arms.end()) == whole[round]);
  }
}

TEST_CASE("schedule: finals are told with their verdict") {
  const StrategySpec race{.kind = StrategySpec::Kind::race, .final_rounds = 6};
  const auto plan = plan_of(race, 3, 10);
  std::vector<specs::Inspection> all;
  const auto time = [](std::size_t arm, std::uint64_t round) {
    return 1'000'000 * static_cast<std::int64_t>(10 + arm) / 10 + wobble(arm, round);
  };
  const Rounds rounds = run(plan, time);
  for (std::uint64_t round = 0; round < rounds.size(); ++round)
    for (const std::size_t arm : rounds[round])
      all.push_back(result(plan, arm, round, time(arm, round)));
  const auto lines = campaigns::final_lines(plan, all, 0.01);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find(plan.arms[0].label + " against " + plan.arms[1].label + ": FASTER") !=
        std::string::npos);
  CHECK(campaigns::final_lines(plan_of({}, 3, 10), all, 0.01).empty());
}
