// What PIs that are not stackx's own measured stands apart, and rates that no such device reaches rank nowhere.
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <catch2/catch.hpp>

#include "specs/format/json.hpp"
#include "store/mending/salvage.hpp"
#include "store/merge.hpp"
#include "store/questions/questions.hpp"
#include "store/schema.hpp"
#include "tests/store/fixture.hpp"

namespace foreign_pi_tests {

using namespace stackx;
using namespace stackx::store;
using namespace stackx::test;

namespace {

const specs::PiProgram fake{false, "/home/u/fake.py", std::string(64, 'f')};
const std::string others = std::string(64, 'e');  // their campaign

specs::Inspection foreign(std::uint64_t number) {
  specs::Inspection made = inspection(number, others);
  made.program = fake;
  specs::seal(made);
  return specs::inspection_from(specs::Node::parse_text(specs::canonical(specs::to_json(made)), "made"));
}

specs::Inspection impossible(std::uint64_t number) {
  specs::Inspection made = inspection(number, others);
  made.work.flop *= 1e6;
  specs::seal(made);
  return made;
}

std::size_t found(const std::filesystem::path& file, const WhoseResults& whose) {
  Filter filter;
  filter.whose = whose;
  return Store::open(file, Mode::read_only).measurements(filter).size();
}

}  // namespace

TEST_CASE("foreign PIs: their results of one workload, stack and device are other series") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  {
    Store store = Store::open(file);
    for (std::uint64_t n = 0; n < 8; ++n) store.ingest(inspection(n));
    for (std::uint64_t n = 0; n < 4; ++n) store.ingest(foreign(n));
    CHECK(store.inspection(foreign(2).id)->program == fake);
    CHECK(store.check().empty());
  }
  CHECK(found(file, own_results) == 8);
  CHECK(found(file, all_results) == 12);
  CHECK(found(file, fake.sha256) == 4);
  CHECK(found(file, "ffffff") == 4);
  CHECK(found(file, "abcdef") == 0);

  const Questions questions(file);
  QuestionFilter filter;
  for (const auto& series : questions.series(filter)) CHECK(questions.workload(series.workload).program.empty());
  const auto own = questions.series(filter).size();
  filter.whose = all_results;
  CHECK(questions.series(filter).size() == 2 * own);
  filter.whose = "ffffffffffff";
  filter.workload = specs::Workload{"matmul", {}};
  REQUIRE(questions.series(filter).size() == own);
  for (const auto& m : questions.inspections(questions.series(filter).front())) {
    CHECK(m.pi_path == "/home/u/fake.py");
    CHECK(m.workload.program == fake.sha256);
  }
  for (const auto& step : questions.steps())
    CHECK(questions.workload(questions.one_series(step.older)->workload).program.empty());

  const auto apart = questions.foreign({});
  REQUIRE(apart.size() == 1);
  CHECK(apart.front().path == "/home/u/fake.py");
  CHECK(apart.front().program == fake.sha256);
  CHECK(apart.front().inspections == 4);
}

TEST_CASE("foreign PIs: a store without any asks nothing more and leaves nothing out") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  Store::open(file).ingest(inspection(1));
  const Questions questions(file);
  CHECK(questions.foreign({}).empty());
  CHECK(questions.series({}).size() == 1);
}

TEST_CASE("foreign PIs: merge and salvage keep them apart, documents byte for byte") {
  const Directory directory;
  const auto file = directory / "stackx.db", merged = directory / "merged.db", saved = directory / "saved.db";
  {
    Store store = Store::open(file);
    for (std::uint64_t n = 0; n < 8; ++n) store.ingest(n % 2 ? foreign(n) : inspection(n));
  }
  {
    Store into = Store::open(merged);
    CHECK(merge(into, merged, file, {}).inserted == 8);
  }
  CHECK(salvage(file, saved).inspections == 8);
  for (const auto& one : {file, merged, saved}) {
    CHECK(found(one, own_results) == 4);
    CHECK(found(one, fake.sha256) == 4);
    CHECK(Store::open(one).check().empty());
    CHECK(ids(Store::open(one), others).size() == 4);
  }
}

TEST_CASE("rates that no such device reaches are kept as they came and are not ok") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  {
    Store store = Store::open(file);
    for (std::uint64_t n = 0; n < 3; ++n) store.ingest(impossible(n));
    CHECK(store.inspection(impossible(1).id)->outcome == specs::Outcome::ok);
    for (const auto& m : store.measurements({})) {
      CHECK(m.outcome == specs::Outcome::implausible);
      CHECK_THAT(m.reason, Catch::Contains("more than such a device can do"));
    }
    CHECK(store.check().empty());
    CHECK(ids(store, others).size() == 3);
  }
  const Questions questions(file);
  for (const auto& series : questions.series({})) {
    CHECK(series.ok == 0);
    CHECK(series.failed == 1);
    CHECK_FALSE(series.median);
  }
  for (const auto& failure : questions.failures()) CHECK(failure.outcome == "implausible");
}

TEST_CASE("a store of schema 2 comes forward: workloads are stackx's own, rates are judged") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  {
    Store store = Store::open(file);
    store.ingest(inspection(0));
    store.ingest(impossible(1));
  }
  {
    // As schema 2 left it: no column, no occasions, and sums that counted what cannot be.
    SQLite::Database old(file.string(), SQLite::OPEN_READWRITE);
    old.exec("DROP TABLE occasions; DROP INDEX published_by_place; CREATE INDEX published_by_workload ON "
             "published(workload, hardware); DROP INDEX workloads_by_program; ALTER TABLE workloads DROP COLUMN program; UPDATE series SET ok = 1, "
             "failed = 0, unit = 1, median = 1e9; PRAGMA user_version = 2");
  }
  Store store = Store::open(file);
  CHECK(Questions(file).stale());
  store.finish_summaries();
  CHECK(store.check().empty());
  std::uint64_t ok = 0, failed = 0;
  for (const auto& series : Questions(file).series({})) ok += series.ok, failed += series.failed;
  CHECK(ok == 1);
  CHECK(failed == 1);
  CHECK(found(file, own_results) == 2);
}

}  // namespace foreign_pi_tests
