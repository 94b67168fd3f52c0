// A search over an inspector that only pretends: what the store holds is not measured again, wherever it was cut.
#include <catch2/catch.hpp>
#include <filesystem>

#include "blame/trial.hpp"
#include "tests/store/fixture.hpp"

using namespace stackx;
using namespace stackx::blame;

namespace {

namespace fs = std::filesystem;

class Pretending : public inspector::StackInspector {
 public:
  std::size_t inspected = 0;
  std::size_t most = ~std::size_t{0};  // then it wants to stop
  specs::Energies energy;

  void check(const specs::Stack&, const specs::Workload&) override {}
  inspector::Prepared prepare(const specs::Stack& stack, const std::function<void(const std::string&)>&) override {
    const auto found = stack.components.find("d");
    if (found == stack.components.end() || found->second != "broken") return {true, specs::Outcome::ok, "", ""};
    return {false, specs::Outcome::build_failed, "no such wheel", ""};
  }
  specs::Inspection inspect(const specs::Stack& stack, const specs::Workload& workload) override {
    ++inspected;
    specs::Inspection result;
    result.stack = stack;
    result.workload = workload;
    result.work.items = 1;
    const bool is_slow = stack.components.at("c") == "2";
    for (std::int64_t i = 0; i < 3; ++i) result.samples_ns.push_back((is_slow ? 1'400'000 : 1'000'000) + i);
    result.phases = {{"run", 0, 5'000'000}};
    result.energy = energy;
    result.host = test::host();
    result.finished = "2026-11-25T00:00:00Z";
    return result;
  }
};

// a to f at 1 and 2; each group is one of them.
Question question() {
  Question question;
  question.lattice = Lattice(std::vector<Groups>(6));
  question.stack = [](const Subset& subset) {
    specs::Stack stack;
    for (std::size_t i = 0; i < subset.size(); ++i) stack.components[std::string(1, static_cast<char>('a' + i))] = subset[i] ? "2" : "1";
    return stack;
  };
  question.workload = {"bench", {}};
  question.metric = *Yardstick::from("time");
  return question;
}

Trial run(const Question& asked, Pretending& inspector, const fs::path& database, std::optional<double> deadline = {}) {
  auto store = store::Store::open(database);
  store::Spool spool(database);
  return run_trial(asked, inspector, store, spool, [&] { return inspector.inspected > inspector.most; }, deadline, [](const std::string&) {});
}

Groups culprits(const Trial& trial) {
  Groups result;
  for (const auto& suspect : trial.answer.suspects)
    if (suspect.role == Suspect::Role::culprit) result.insert(result.end(), suspect.groups.begin(), suspect.groups.end());
  return result;
}

}  // namespace

TEST_CASE("found, and asked again nothing is measured") {
  const test::Directory place;
  Pretending first, second;
  const auto found = run(question(), first, place / "x.db");
  CHECK(culprits(found) == Groups{2});
  CHECK(found.answer.complete);
  CHECK(found.fresh == first.inspected);
  CHECK(found.old_amount == "1 ms");
  CHECK(found.new_amount == "1.4 ms");
  const auto again = run(question(), second, place / "x.db");
  CHECK(second.inspected == 0);
  CHECK(again.fresh == 0);
  CHECK(culprits(again) == Groups{2});
  CHECK(again.answer.inspections == found.answer.inspections);
  CHECK(again.campaigns == found.campaigns);
  auto other = question();  // the same inspections, another look at them
  other.metric = {};
  Pretending third;
  CHECK(culprits(run(other, third, place / "x.db")) == Groups{2});
  CHECK(third.inspected == 0);
}

TEST_CASE("of energy it is said what is in it") {
  const test::Directory place;
  auto asked = question();
  asked.metric = *Yardstick::from("energy");
  Pretending inspector;
  specs::Energy drawn;  // by one of the stacks as by another, in the 3 ms that samples take
  drawn.joules = 0.2, drawn.seconds = 0.004, drawn.updates = 40, drawn.idle_watts = 20, drawn.counters = {"package-0"};
  inspector.energy[specs::rapl_source] = drawn;
  const auto trial = run(asked, inspector, place / "x.db");
  CHECK(trial.amount_remark == "idle draw, 40% of all that was drawn, is taken off the energy");
  asked.metric = *Yardstick::from("time");
  CHECK(run(asked, inspector, place / "x.db").amount_remark.empty());
}

TEST_CASE("cut anywhere, it goes on, and measures nothing twice") {
  Pretending whole;
  std::size_t all = 0;
  {
    const test::Directory place;
    all = run(question(), whole, place / "x.db").answer.inspections;
  }
  for (std::size_t cut = 0; cut < all; cut += 5) {
    const test::Directory place;
    std::size_t kept = 0;
    Pretending first, second;
    first.most = cut;
    const auto part = run(question(), first, place / "x.db");
    CHECK(part.interrupted);
    CHECK_FALSE(part.answer.complete);
    kept = part.fresh;
    CHECK(kept <= cut);
    const auto rest = run(question(), second, place / "x.db");
    CHECK(culprits(rest) == Groups{2});
    CHECK(kept + rest.fresh == all);
  }
}

TEST_CASE("no round begins after the deadline") {
  const test::Directory place;
  Pretending inspector;
  const auto late = run(question(), inspector, place / "x.db", campaigns::steady_seconds() - 1);
  CHECK(late.out_of_budget);
  CHECK(inspector.inspected == 0);
  CHECK(culprits(run(question(), inspector, place / "x.db")) == Groups{2});
}

TEST_CASE("a stack whose environment cannot be made is walked around") {
  const test::Directory place;
  auto asked = question();
  asked.stack = [plain = asked.stack](const Subset& subset) {
    auto stack = plain(subset);
    if (subset[3] && !subset[2]) stack.components["d"] = "broken";  // d at 2 needs c at 2, which nobody says
    return stack;
  };
  Pretending inspector;
  const auto found = run(asked, inspector, place / "x.db");
  CHECK(found.answer.total.shown);
  for (const auto& suspect : found.answer.suspects)
    if (suspect.role != Suspect::Role::none)
      for (const auto group : suspect.groups) CHECK((group == 2 || group == 3));
}

TEST_CASE("other limits, programs and stacks are other questions") {
  auto one = question(), two = question();
  CHECK(project_name(one) == project_name(two));
  two.metric = *Yardstick::from("memory");
  CHECK(project_name(one) == project_name(two));
  two.limits.memory_gib = 8;
  CHECK(project_name(one) != project_name(two));
  two = question();
  two.settings.seed = 2;
  CHECK(project_name(one) != project_name(two));
  two = question();
  two.workload.params["n"] = "2";
  CHECK(project_name(one) != project_name(two));
}
