// Complete rounds against the definition, cell by cell, and against campaigns that are interrupted anywhere.
#include <catch2/catch.hpp>

#include "campaigns/cluster/rounds.hpp"
#include "specs/random.hpp"
#include "tests/campaigns/cluster/made_up.hpp"

using namespace stackx;
using namespace stackx::campaigns::cluster;
using namespace stackx::test;
using specs::Outcome;

namespace {

const std::vector<Outcome> all_outcomes = [] {
  std::vector<Outcome> all;
  for (int i = 0; i <= static_cast<int>(Outcome::implausible); ++i) all.push_back(static_cast<Outcome>(i));
  return all;
}();

// Of environments, and of what the machine has not: by name, apart from the code.
bool can_have_no_more(Outcome outcome) {
  const std::set<std::string> names{"build_failed", "hash_mismatch", "build_timed_out", "disk_full", "unsupported", "missing_pi", "too_large"};
  return names.contains(specs::to_string(outcome));
}

std::set<std::uint64_t> by_definition(const specs::Plan& plan, const std::vector<Result>& results) {
  std::set<std::uint64_t> complete;
  for (std::uint64_t round = 0; round < plan.campaign.rounds; ++round) {
    std::size_t arms = 0;
    for (const auto& arm : plan.arms) {
      bool counts = false;
      for (const auto& one : results)
        counts = counts || (one.arm == arm.label && (one.round == round || (one.round < round && can_have_no_more(one.outcome))));
      arms += counts;
    }
    if (arms == plan.arms.size()) complete.insert(round);
  }
  return complete;
}

// Prepares no environment for `broken`; all else ends in one outcome.
class OneOutcome : public inspector::StackInspector {
 public:
  OneOutcome(std::string broken, Outcome outcome) : broken_(std::move(broken)), outcome_(outcome) {}
  void check(const specs::Stack&, const specs::Workload&) override {}
  inspector::Prepared prepare(const specs::Stack& stack, const std::function<void(const std::string&)>&) override {
    if (stack.components.at("lib") == broken_) return {false, outcome_, "", ""};
    return {true, Outcome::ok, "", ""};
  }
  specs::Inspection inspect(const specs::Stack& stack, const specs::Workload&) override {
    ++inspected;
    specs::Inspection one;
    if (stack.components.at("lib") == broken_) one.outcome = outcome_;
    return one;
  }
  int inspected = 0;

 private:
  std::string broken_;
  Outcome outcome_;
};

class Results : public campaigns::Listener {
 public:
  std::vector<Result> results;
  void result(const specs::Inspection& one) override { results.push_back({one.round, one.arm, one.outcome}); }
  void progress(const campaigns::Progress&) override {}
  void say(const std::string&) override {}
};

}  // namespace

TEST_CASE("rounds: as defined, whatever is there") {
  specs::Random random(3);
  for (int trial = 0; trial < 400; ++trial) {
    const auto plan = made_up_plan(1 + random.below(4), 1 + random.below(5), random.below(2));
    std::vector<Result> results;
    const auto outcome = [&] { return random.below(4) > 0 ? Outcome::ok : all_outcomes[random.below(all_outcomes.size())]; };
    for (std::uint64_t round = 0; round < plan.campaign.rounds + 1; ++round)  // also one that the plan has not
      for (const auto& arm : plan.arms)
        if (random.below(8) > 0) results.push_back({round, arm.label, outcome()});
    if (random.below(3) == 0) results.push_back({0, "nobody", Outcome::ok});
    random.shuffle(results);
    CHECK(complete_rounds(plan, results) == by_definition(plan, results));
  }
}

TEST_CASE("rounds: a crash is waited for in every round, an environment that cannot be made in its first alone") {
  const auto plan = made_up_plan(2, 3);
  const auto& good = plan.arms[0].label;
  const auto& bad = plan.arms[1].label;
  for (const auto outcome : all_outcomes) {
    INFO(specs::to_string(outcome));
    const std::vector<Result> once{{0, good, Outcome::ok}, {0, bad, outcome}, {1, good, Outcome::ok}, {2, good, Outcome::ok}};
    CHECK(complete_rounds(plan, once).size() == (can_have_no_more(outcome) ? 3u : 1u));
  }
  CHECK(complete_rounds(plan, {}).empty());
}

TEST_CASE("rounds: a campaign that ended has them all; interrupted anywhere it has those whose every arm ran") {
  const auto plan = made_up_plan(3, 4);
  for (const auto outcome : {Outcome::build_failed, Outcome::unsupported, Outcome::crashed, Outcome::timed_out})
    for (int stop_after = 0; stop_after <= 12; ++stop_after) {
      const bool lasting = can_have_no_more(outcome);
      OneOutcome inspector(lasting ? "1" : "none", outcome);
      Results listener;
      campaigns::FixedSchedule schedule(plan);
      run(plan, inspector, schedule, {}, listener, [&] { return inspector.inspected > stop_after; });
      std::map<std::uint64_t, std::size_t> ran;
      for (const auto& one : listener.results) ++ran[one.round];
      std::set<std::uint64_t> expected;
      for (const auto& [round, arms] : ran)
        if (arms == (lasting && round > 0 ? 2u : 3u)) expected.insert(round);
      INFO(specs::to_string(outcome) << " " << stop_after);
      CHECK(complete_rounds(plan, listener.results) == expected);
      if (stop_after == 12) CHECK(expected.size() == 4);
    }
}
