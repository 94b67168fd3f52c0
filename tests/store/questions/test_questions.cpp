#include "store/questions/questions.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "specs/format/seal.hpp"
#include "specs/hardware/hardware.hpp"
#include "store/questions/read_only_sql.hpp"
#include "store/questions/views.hpp"
#include "store/scan.hpp"
#include "tests/store/fixture.hpp"

using namespace stackx;
using namespace stackx::store;
using stackx::test::error_of;

namespace {

struct Made {
  test::Directory directory;
  std::filesystem::path file = directory / "questions.db";

  // Four stacks, one of them a sentinel, of two campaigns and alone.
  Made() {
    Store store = Store::open(file);
    for (std::uint64_t number = 0; number < 40; ++number) store.ingest(test::inspection(number));
    for (std::uint64_t number = 0; number < 12; ++number)
      store.ingest(test::inspection(number, std::string(64, 'd')));
    for (std::uint64_t number = 0; number < 3; ++number) store.ingest(test::inspection(number, ""));
  }
};

bool same(const Measurement& a, const Measurement& b) {
  return a.row == b.row && a.inspection == b.inspection && a.campaign == b.campaign &&
         a.arm == b.arm && a.round == b.round && a.position == b.position &&
         a.sentinel == b.sentinel && a.stack == b.stack && a.workload == b.workload &&
         a.host == b.host && a.hostname == b.hostname &&
         a.microarchitecture == b.microarchitecture && a.cpu_model == b.cpu_model &&
         a.device == b.device && a.outcome == b.outcome && a.reason == b.reason &&
         a.samples_ns == b.samples_ns && a.work.flop == b.work.flop &&
         a.work.bytes == b.work.bytes && a.work.items == b.work.items;
}

ComponentFilter only(const std::string& name, const std::string& version) {
  return {name, [version](const std::string& text) { return text == version; }};
}

std::vector<std::vector<SqlValue>> rows_of(const std::filesystem::path& file,
                                           const std::string& sql) {
  std::vector<std::vector<SqlValue>> rows;
  read_only_sql(file, sql, 10, {[](const auto&) {}, [&](const auto& row) {
                                  rows.push_back(row);
                                  return true;
                                }});
  return rows;
}

}  // namespace

TEST_CASE("questions: the inspections of all series are the store's measurements") {
  const Made made;
  const Questions questions(made.file);
  std::map<std::int64_t, Measurement> of_series;
  for (const SeriesSums& series : questions.series({}))
    for (const Measurement& m : questions.inspections(series)) {
      CHECK(m.device == questions.device(series.device).name);
      CHECK(m.stack == questions.stack(series.stack).stack);
      CHECK(m.workload == questions.workload(series.workload));
      CHECK(of_series.emplace(m.row, m).second);
    }
  const auto all = Store::open(made.file, Mode::read_only).measurements({});
  REQUIRE(all.size() == 55);
  REQUIRE(of_series.size() == all.size());
  for (const Measurement& m : all) {
    REQUIRE(of_series.contains(m.row));
    CHECK(same(of_series.at(m.row), m));
    // To the second: what is packed has milliseconds.
    CHECK(of_series.at(m.row).finished.substr(0, 19) == m.finished.substr(0, 19));
  }
}

TEST_CASE("questions: sums count what the measurements say") {
  const Made made;
  const Questions questions(made.file);
  std::uint64_t ok = 0, failed = 0;
  for (const SeriesSums& series : questions.series({})) {
    ok += series.ok;
    failed += series.failed;
    CHECK(questions.one_series(series.row)->median == series.median);
  }
  std::uint64_t expected_ok = 0, expected_failed = 0;
  for (const Measurement& m : Store::open(made.file, Mode::read_only).measurements({}))
    if (!m.sentinel) ++(m.outcome == specs::Outcome::ok ? expected_ok : expected_failed);
  CHECK(ok == expected_ok);
  CHECK(failed == expected_failed);
  CHECK(failed > 0);
  std::uint64_t by_outcome = 0;
  for (const FailureSums& one : questions.failures()) by_outcome += one.inspections;
  CHECK(by_outcome == failed);
  CHECK_FALSE(questions.one_series(999'999));
}

TEST_CASE("questions: filters") {
  const Made made;
  const Questions questions(made.file);
  const auto count = [&](const QuestionFilter& filter) { return questions.series(filter).size(); };
  const std::size_t all = count({});
  REQUIRE(all == 4);
  QuestionFilter filter;
  filter.workload = specs::parse_workload("matmul:m=512");
  CHECK(count(filter) == all);
  filter.workload = specs::parse_workload("matmul:m=513");
  CHECK(count(filter) == 0);
  filter = {};
  filter.hardware = "sapphire-rapids";
  CHECK(count(filter) == all);
  filter.hardware = "8480c";
  CHECK(count(filter) == all);
  filter.hardware = "sapphire-rap";
  CHECK(count(filter) == 0);
  filter = {};
  filter.components = {only("openblas", "0.3.21")};
  CHECK(count(filter) == 1);
  filter.components.push_back(only("python", "3.11"));
  CHECK(count(filter) == 1);
  filter.components.push_back(only("python", "3.12"));
  CHECK(count(filter) == 0);
  filter.components = {only("no-such", "1")};
  CHECK(count(filter) == 0);
  filter = {};
  const SeriesSums one = questions.series({}).front();
  filter.since = one.last;
  CHECK(count(filter) >= 1);
  filter.since = one.last + 1'000'000'000;
  CHECK(count(filter) == 0);
  filter = {};
  filter.stack = questions.stack(one.stack).id;
  CHECK(count(filter) == 1);
  filter.stack = questions.stack(one.stack).id.substr(0, 12);
  filter.workload = specs::parse_workload("conv2d");
  CHECK(count(filter) == 0);
  filter = {};
  filter.stack = "not hex";
  CHECK(error_of([&] { count(filter); }).find("hexadecimal digits") == std::string::npos);
  CHECK(error_of([&] { count(filter); }).find("hex digits") != std::string::npos);
}

TEST_CASE("questions: an ambiguous stack names two that begin so") {
  const test::Directory directory;
  const auto file = directory / "many.db";
  {
    Store store = Store::open(file);
    for (int i = 0; i < 40; ++i) {  // by the pigeonhole, two of 17 share their first digit
      auto document = test::inspection(0);
      document.stack.components["openblas"] = "0.3." + std::to_string(i);
      document.arm = std::to_string(i);
      specs::seal(document);
      store.ingest(document);
    }
  }
  const Questions questions(file);
  std::map<char, std::size_t> first;
  for (const SeriesSums& s : questions.series({})) ++first[questions.stack(s.stack).id[0]];
  const auto most = std::max_element(first.begin(), first.end(), [](const auto& a, const auto& b) {
    return a.second < b.second;
  });
  QuestionFilter filter;
  filter.stack = std::string(1, most->first);
  CHECK(error_of([&] { questions.series(filter); }).find("ambiguous") != std::string::npos);
}

TEST_CASE("questions: one object sees one moment") {
  const Made made;
  const Questions before(made.file);
  const std::size_t inspections = before.inspections(before.series({}).front()).size();
  {
    Store store = Store::open(made.file);
    for (std::uint64_t number = 40; number < 60; ++number) store.ingest(test::inspection(number));
  }
  CHECK(before.inspections(before.series({}).front()).size() == inspections);
  const Questions after(made.file);
  CHECK(after.inspections(after.series({}).front()).size() > inspections);
}

TEST_CASE("questions: hosts, campaigns, hardware") {
  const Made made;
  const Questions questions(made.file);
  const SeriesSums one = questions.series({}).front();
  CHECK(questions.host_of(one.device) == test::host().fingerprint());
  CHECK(questions.host_of(999'999).empty());
  CHECK(questions.hardware(questions.device(one.device).hardware).microarchitecture ==
        "sapphire-rapids");
  CHECK(questions.hardware().size() >= 1);
  std::set<std::string> campaigns;
  for (const CampaignRow& row : questions.campaigns()) campaigns.insert(row.id);
  CHECK(campaigns.contains(std::string(64, 'c')));
  CHECK(campaigns.contains(std::string(64, 'd')));
  CHECK(error_of([&] { questions.workload(999'999); }).find("damaged") != std::string::npos);
  CHECK(error_of([&] { questions.device(999'999); }).find("damaged") != std::string::npos);
  std::map<std::int64_t, std::size_t> components;
  questions.stack_versions([&](std::int64_t stack, std::int64_t) { ++components[stack]; });
  for (const auto& [stack, number] : components)
    CHECK(number == questions.stack(stack).stack.components.size());
}

TEST_CASE("questions: sums that a killed import left behind are noticed") {
  const Made made;
  CHECK_FALSE(Questions(made.file).stale());
  SQLite::Database(made.file.string(), SQLite::OPEN_READWRITE)
      .exec("INSERT INTO stale SELECT id FROM series LIMIT 1");
  CHECK(Questions(made.file).stale());
  std::vector<std::pair<std::size_t, std::size_t>> told;
  Store::open(made.file).finish_summaries([&](std::size_t done, std::size_t all) { told.emplace_back(done, all); });
  CHECK(told == std::vector<std::pair<std::size_t, std::size_t>>{{1, 1}});
  CHECK_FALSE(Questions(made.file).stale());
}

TEST_CASE("scan: an exception of the visitor passes, and the connection lives on") {
  SQLite::Database database(":memory:", SQLite::OPEN_READWRITE);
  database.exec("CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2.5), (3, NULL)");
  struct Stop {};
  CHECK_THROWS_AS(gather(database, "a", "FROM t", std::nullopt, [](const Passing&) { throw Stop(); }),
                  Stop);
  std::vector<std::pair<std::int64_t, std::optional<double>>> rows;
  gather(database, "a, b", "FROM t WHERE a <> ? ORDER BY a", "7", [&](const Passing& row) {
    rows.emplace_back(row.integer(0), row.maybe_real(1));
  });
  REQUIRE(rows.size() == 2);
  CHECK(rows[0] == std::pair(std::int64_t{1}, std::optional(2.5)));
  CHECK(rows[1] == std::pair(std::int64_t{3}, std::optional<double>()));
  CHECK_THROWS_AS(gather(database, "x", "FROM t", std::nullopt, [](const Passing&) {}),
                  SQLite::Exception);
  Scan scan(database, "SELECT b FROM t WHERE a = ?");
  scan << std::int64_t{3};
  REQUIRE(scan.next());
  CHECK_FALSE(scan.maybe_real(0));
}

TEST_CASE("sql: every view has the columns that it documents") {
  const Made made;
  for (const View& view : views()) {
    std::vector<std::string> names, documented;
    for (const ViewColumn& column : view.columns) documented.emplace_back(column.name);
    std::size_t rows = 0;
    read_only_sql(made.file, "SELECT * FROM " + std::string(view.name), 10,
                  {[&](const auto& columns) { names = columns; }, [&](const auto&) {
                     ++rows;
                     return true;
                   }});
    CHECK(names == documented);
    if (view.name == "inspections") CHECK(rows == 55);
    if (view.name == "series" || view.name == "stacks") CHECK(rows == 4);
  }
}

TEST_CASE("sql: the view of inspections agrees with the measurements") {
  const Made made;
  std::map<std::string, std::vector<SqlValue>> viewed;
  for (const auto& row :
       rows_of(made.file, "SELECT inspection, campaign, round, position, arm, sentinel, outcome, "
                          "reason, host, finished, samples_json(samples) FROM inspections"))
    viewed[std::get<std::string>(row[0])] = row;
  for (const Measurement& m : Store::open(made.file, Mode::read_only).measurements({})) {
    REQUIRE(viewed.contains(m.inspection));
    const auto& row = viewed.at(m.inspection);
    CHECK(std::get<std::string>(row[1]) == m.campaign);
    CHECK(std::get<std::int64_t>(row[2]) == static_cast<std::int64_t>(m.round));
    CHECK(std::get<std::int64_t>(row[3]) == static_cast<std::int64_t>(m.position));
    CHECK(std::get<std::string>(row[4]) == m.arm);
    CHECK(std::get<std::int64_t>(row[5]) == m.sentinel);
    CHECK(std::get<std::string>(row[6]) == specs::to_string(m.outcome));
    CHECK(std::get<std::string>(row[7]) == m.reason);
    CHECK(std::get<std::string>(row[8]) == m.host);
    CHECK(std::get<std::string>(row[9]).substr(0, 19) == m.finished.substr(0, 19));
    CHECK(std::get<std::string>(row[10]) == nlohmann::json(m.samples_ns).dump());
  }
}

TEST_CASE("sql: it reads the views and does nothing else") {
  const Made made;
  const std::string before = test::read(made.file);
  for (const char* sql :
       {"DELETE FROM series", "DROP TABLE main.series", "CREATE TEMP TABLE t(x)", "PRAGMA user_version",
        "ATTACH ':memory:' AS m", "SELECT * FROM sqlite_schema", "SELECT id FROM main.series",
        "SELECT load_extension('x')", "SELECT fts3_tokenizer('simple')", "SELECT 1; SELECT 2", "", "SELECT ?1", "nonsense",
        "SELECT rowid FROM main.stacks", "WITH x AS (SELECT hash FROM main.stacks) SELECT * FROM x"})
    CHECK(error_of([&] { rows_of(made.file, sql); }).starts_with("--sql: "));
  CHECK(test::read(made.file) == before);
  CHECK(error_of([&] {
          read_only_sql(made.file,
                        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT "
                        "count(*) FROM n",
                        0.05, {[](const auto&) {}, [](const auto&) { return true; }});
        }).find("stopped after") != std::string::npos);
}
