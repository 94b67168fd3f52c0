// Campaigns over an inspector that only pretends, and a clock that goes when it does.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "campaigns/campaign.hpp"
#include "campaigns/run.hpp"
#include "specs/error.hpp"

using namespace stackx;
using namespace stackx::campaigns;
using specs::Outcome;

namespace {

specs::Stack stack(const std::string& version) { return specs::Stack{{{"lib", version}}}; }

class FakeInspector : public inspector::StackInspector {
 public:
  std::set<std::string> broken;             // versions whose environment cannot be made
  std::map<std::string, Outcome> outcomes;  // others are ok
  double seconds = 0;                       // the clock
  std::vector<std::string> prepared, inspected;
  std::string bad;  // a version that check() refuses

  void check(const specs::Stack& stack, const specs::Workload&) override {
    if (stack.components.at("lib") == bad) throw bad_input("refused");
  }
  inspector::Prepared prepare(const specs::Stack& stack,
                   const std::function<void(const std::string&)>& say) override {
    const auto& version = stack.components.at("lib");
    prepared.push_back(version);
    say("installing " + version);
    seconds += 100;
    if (!broken.contains(version)) return {true, Outcome::ok, "", ""};
    return {false, Outcome::build_failed, "no " + version, ""};
  }
  specs::Inspection inspect(const specs::Stack& stack, const specs::Workload& workload) override {
    const auto& version = stack.components.at("lib");
    inspected.push_back(version);
    seconds += version == "slow" ? 30 : 10;
    specs::Inspection result;
    result.stack = stack;
    result.workload = workload;
    if (broken.contains(version)) result.outcome = Outcome::build_failed;
    if (outcomes.contains(version)) result.outcome = outcomes.at(version);
    return result;
  }
};

class Recorder : public Listener {
 public:
  std::vector<specs::Inspection> results;
  std::vector<Progress> reports;
  std::vector<std::string> lines;
  void result(const specs::Inspection& inspection) override { results.push_back(inspection); }
  void progress(const Progress& progress) override { reports.push_back(progress); }
  void say(const std::string& line) override { lines.push_back(line); }
  std::set<Slot> slots() const {
    std::set<Slot> done;
    for (const auto& result : results) done.insert({result.round, result.arm});
    return done;
  }
};

specs::Project project(std::uint64_t rounds) {
  specs::Project result;
  result.name = "test";
  result.workloads = {{"matmul", {{"m", "1"}}}};
  result.campaign.rounds = rounds;
  result.campaign.sampler.seed = 7;
  return result;
}

specs::Plan plan_of(const specs::Project& project, const std::vector<std::string>& versions) {
  std::vector<specs::Stack> stacks;
  for (const auto& version : versions) stacks.push_back(stack(version));
  return make_plan(project, stacks, "2026-01-01T00:00:00.000Z");
}

Ending go(const specs::Plan& plan, FakeInspector& inspector, Recorder& recorder,
          const std::set<Slot>& done = {}, const std::function<bool()>& stop = {}) {
  FixedSchedule schedule(plan);
  return run(plan, inspector, schedule, done, recorder, stop, [&] { return inspector.seconds; });
}

}  // namespace

TEST_CASE("a plan names every arm once", "[campaign]") {
  auto work = project(3);
  work.workloads.push_back({"matmul", {{"m", "2"}}});
  work.campaign.sentinels = 7;
  const auto plan = plan_of(work, {"1", "2", "3"});
  REQUIRE(plan.arms.size() == 6 + 7);
  CHECK(plan.arms[0].label == stack("1").short_id());
  CHECK(plan.arms[1].label == stack("1").short_id() + "/2");
  CHECK(plan.arms[1].workload.params.at("m") == "2");
  std::set<std::string> labels;
  std::map<specs::Stack, std::set<std::string>> sentinels;
  for (const auto& arm : plan.arms) {
    labels.insert(arm.label);
    if (arm.sentinel) CHECK(arm.label.find('+') != std::string::npos);
  }
  CHECK(labels.size() == plan.arms.size());
  CHECK(plan.arms[6].label.ends_with("+A"));
  CHECK(plan.arms[12].label.ends_with("+B"));  // more sentinels than arms: a third name
  CHECK(plan.id == plan_of(work, {"1", "2", "3"}).id);
  work.campaign.sampler.seed = 8;
  CHECK(plan.id != plan_of(work, {"1", "2", "3"}).id);
  CHECK(plan_of(project(1), {}).arms.empty());
}

TEST_CASE("every arm runs once a round, in the plan's order", "[campaign]") {
  const auto plan = plan_of(project(4), {"1", "2", "3", "4", "5"});
  FakeInspector inspector;
  Recorder recorder;
  CHECK(go(plan, inspector, recorder) == Ending::complete);
  REQUIRE(recorder.results.size() == 20);
  for (std::size_t i = 0; i < 20; ++i) {
    const auto& result = recorder.results[i];
    CHECK(result.round == i / 5);
    CHECK(result.position == i % 5);
    CHECK(result.arm == plan.arms[plan.order(i / 5)[i % 5]].label);
    CHECK(result.campaign == plan.id);
    CHECK_FALSE(result.id.empty());
  }
  CHECK(recorder.slots().size() == 20);
  CHECK(inspector.prepared.size() == 5);
  CHECK(recorder.reports.front().planned == 20);
  CHECK(recorder.reports.back().done == 20);
  CHECK(recorder.reports.back().seconds_left == 0);
}

TEST_CASE("wherever it is interrupted, what follows completes the same plan", "[campaign]") {
  auto work = project(3);
  work.campaign.sentinels = 1;
  const auto plan = plan_of(work, {"1", "2", "broken", "4"});
  FakeInspector whole_inspector;
  whole_inspector.broken = {"broken"};
  Recorder whole;
  REQUIRE(go(plan, whole_inspector, whole) == Ending::complete);

  for (std::size_t kill_after = 0; kill_after <= whole.results.size(); ++kill_after) {
    std::set<Slot> done;
    std::vector<specs::Inspection> all;
    for (int start = 0; start < 100; ++start) {
      FakeInspector inspector;
      inspector.broken = {"broken"};
      Recorder recorder;
      // True while the (kill_after + 1)th inspection runs: that one is lost.
      const auto stop = [&] { return start == 0 && inspector.inspected.size() > kill_after; };
      const auto ending = go(plan, inspector, recorder, done, stop);
      for (const auto& result : recorder.results) {
        CHECK(done.insert({result.round, result.arm}).second);
        all.push_back(result);
      }
      if (ending == Ending::complete) break;
      CHECK(ending == Ending::interrupted);
      CHECK(all.size() == kill_after);
    }
    INFO("interrupted after " << kill_after);
    CHECK(done == whole.slots());
    for (std::size_t i = 0; i < all.size(); ++i)
      CHECK(all[i].position == whole.results[i].position);
  }
}

TEST_CASE("an arm without an environment leaves one result and counts once", "[campaign]") {
  const auto plan = plan_of(project(5), {"1", "broken", "3"});
  FakeInspector inspector;
  inspector.broken = {"broken"};
  Recorder recorder;
  CHECK(go(plan, inspector, recorder) == Ending::complete);
  CHECK(recorder.results.size() == 11);
  CHECK(std::count(inspector.inspected.begin(), inspector.inspected.end(), "broken") == 1);
  CHECK(recorder.reports.back().planned == 11);
  CHECK(recorder.reports.back().done == 11);
  CHECK(recorder.reports.back().failed == 1);

  SECTION("resumed while still broken, nothing is added") {
    Recorder again;
    CHECK(go(plan, inspector, again, recorder.slots()) == Ending::complete);
    CHECK(again.results.empty());
    CHECK(again.reports.back().planned == 11);
  }
  SECTION("resumed once it can be built, the other rounds follow") {
    inspector.broken.clear();
    Recorder again;
    CHECK(go(plan, inspector, again, recorder.slots()) == Ending::complete);
    CHECK(again.results.size() == 4);
  }
}

TEST_CASE("budgets end a campaign", "[campaign]") {
  auto work = project(100);
  FakeInspector inspector;
  Recorder recorder;
  SECTION("inspections, counted over all runs") {
    work.campaign.budget_inspections = 7;
    const auto plan = plan_of(work, {"1", "2"});
    CHECK(go(plan, inspector, recorder) == Ending::budget);
    CHECK(recorder.results.size() == 7);
    CHECK(recorder.reports.front().planned == 7);
    Recorder again;
    CHECK(go(plan, inspector, again, recorder.slots()) == Ending::budget);
    CHECK(again.results.empty());
  }
  SECTION("minutes, building included") {
    work.campaign.budget_minutes = 5;
    CHECK(go(plan_of(work, {"1", "2"}), inspector, recorder) == Ending::budget);
    CHECK(recorder.results.size() == 10);  // 2 x 100 s to build, 10 x 10 s
    for (const auto& report : recorder.reports) CHECK(report.seconds_left <= 100);
  }
}

TEST_CASE("too many failures end a campaign, but what is unsupported is no failure", "[campaign]") {
  auto work = project(100);
  work.campaign.max_failed = 6;
  FakeInspector inspector;
  inspector.outcomes = {{"bad", Outcome::crashed}};
  Recorder recorder;
  CHECK(go(plan_of(work, {"good", "bad"}), inspector, recorder) == Ending::too_many_failures);
  CHECK(recorder.reports.back().failed == 6);

  inspector.outcomes = {{"bad", Outcome::unsupported}};
  Recorder other;
  CHECK(go(plan_of(work, {"good", "bad"}), inspector, other) == Ending::complete);
  CHECK(other.results.size() == 200);
}

TEST_CASE("the time left is estimated arm by arm", "[campaign]") {
  const auto plan = plan_of(project(3), {"quick", "slow"});
  FakeInspector inspector;
  Recorder recorder;
  REQUIRE(go(plan, inspector, recorder) == Ending::complete);
  CHECK(recorder.reports.front().seconds_left < 0);  // nothing ran yet
  for (const auto& report : recorder.reports) {
    if (report.done == 2) CHECK(report.seconds_left == Approx(80));  // two rounds of 10 and 30
    if (report.done == 4) CHECK(report.seconds_left == Approx(40));
  }
}

TEST_CASE("nothing runs if one arm never could", "[campaign]") {
  FakeInspector inspector;
  inspector.bad = "2";
  Recorder recorder;
  CHECK_THROWS_AS(go(plan_of(project(3), {"1", "2"}), inspector, recorder), Error);
  CHECK(inspector.prepared.empty());
}

TEST_CASE("stacks are prepared once, however many arms share them", "[campaign]") {
  auto work = project(2);
  work.workloads.push_back({"matmul", {{"m", "2"}}});
  work.campaign.sentinels = 2;
  FakeInspector inspector;
  Recorder recorder;
  CHECK(go(plan_of(work, {"1", "2"}), inspector, recorder) == Ending::complete);
  CHECK(inspector.prepared.size() == 2);
  CHECK(recorder.results.size() == 12);
  CHECK(recorder.lines == std::vector<std::string>{"installing 1", "installing 2"});
}

TEST_CASE("what is left is told without a walk over all rounds", "[campaign]") {
  FakeInspector inspector;
  Recorder recorder;
  const auto enough = [&] { return recorder.results.size() >= 5; };
  CHECK(go(plan_of(project(UINT64_MAX / 8), {"1", "2"}), inspector, recorder, {}, enough) == Ending::interrupted);
  CHECK(recorder.reports.back().planned == UINT64_MAX / 8 * 2);
}

TEST_CASE("what is complete needs no environment, and a hole in an arm's rounds does", "[campaign]") {
  const std::uint64_t rounds = 2000;
  const auto plan = plan_of(project(rounds), {"all", "a hole", "the last", "more", "none"});
  std::set<Slot> done;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    done.insert({round, plan.arms[0].label});
    if (round != 7) done.insert({round, plan.arms[1].label});
    if (round + 1 < rounds) done.insert({round, plan.arms[2].label});
  }
  for (std::uint64_t round = 0; round < rounds + 5; ++round) done.insert({round, plan.arms[3].label});  // of a longer campaign
  FakeInspector inspector;
  inspector.broken = {"none"};
  Recorder recorder;
  CHECK(go(plan, inspector, recorder, done) == Ending::complete);
  CHECK(std::set<std::string>(inspector.prepared.begin(), inspector.prepared.end()) ==
        std::set<std::string>{"a hole", "the last", "none"});
  CHECK(inspector.inspected == std::vector<std::string>{"none", "a hole", "the last"});
}

TEST_CASE("results that are there already are not planned again", "[campaign]") {
  const auto plan = plan_of(project(5), {"1", "2", "3"});
  FakeInspector inspector;
  inspector.broken = {"3"};
  Recorder recorder;
  std::set<Slot> done;
  for (const Slot& slot : {Slot{0, plan.arms[0].label}, Slot{3, plan.arms[0].label}, Slot{4, plan.arms[1].label}})
    done.insert(slot);
  CHECK(go(plan, inspector, recorder, done) == Ending::complete);
  CHECK(recorder.results.size() == 3 + 4 + 1);  // an arm that cannot be made leaves one
  for (const auto& report : recorder.reports)
    if (report.done > done.size() + 1) CHECK(report.planned == 11);
}

TEST_CASE("the health of workloads of which nothing can be said has no headings", "[campaign]") {
  std::vector<store::Measurement> measured(2);
  for (auto& one : measured) one.outcome = Outcome::unsupported;
  measured[0].workload = specs::Workload{"matmul", {{"m", "8"}}};
  measured[1].workload = specs::Workload{"matmul", {{"m", "16"}}};
  CHECK(health(measured, "").empty());
}
