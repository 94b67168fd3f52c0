// Sums are what the measurements say: recomputed here from Store::measurements, by other code.
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <catch2/catch.hpp>
#include <algorithm>
#include <cmath>

#include "specs/format/json.hpp"
#include "store/mending/salvage.hpp"
#include "store/merge.hpp"
#include "store/questions/questions.hpp"
#include "tests/store/fixture.hpp"

using namespace stackx;
using namespace stackx::store;
using namespace stackx::test;

namespace {

using Slot = std::pair<std::string, std::uint64_t>;

struct ExpectedOccasion {
  std::string first;
  std::int64_t ok = 0, inspections = 0;
};

struct Expected {
  std::vector<double> rates;
  std::map<Slot, double> by_slot;
  std::map<std::string, ExpectedOccasion> occasions;  // by campaign
  int failed = 0, sentinels = 0;
};

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

// By the version of openblas, of which each stack of the fixture has one.
std::map<std::string, Expected> expected_of(const Store& store) {
  std::map<std::string, Expected> result;
  for (const Measurement& m : store.measurements({})) {
    Expected& e = result[m.stack.components.at("openblas")];
    if (!m.sentinel) {
      ExpectedOccasion& occasion = e.occasions[m.campaign];
      if (occasion.inspections++ == 0 || m.finished < occasion.first) occasion.first = m.finished;
      occasion.ok += m.outcome == specs::Outcome::ok;
    }
    if (m.sentinel) {
      ++e.sentinels;
    } else if (m.outcome != specs::Outcome::ok) {
      ++e.failed;
    } else {
      std::vector<double> rates;
      for (const auto sample : m.samples_ns) rates.push_back(m.work.flop / static_cast<double>(sample));
      e.rates.push_back(median_of(rates));
      if (!m.campaign.empty()) e.by_slot[{m.campaign, m.round}] = e.rates.back();
    }
  }
  return result;
}

void check_series(SQLite::Database& db, const std::map<std::string, Expected>& expected) {
  std::size_t rows = 0;
  for (SQLite::Statement row(
           db,
           "SELECT v.version, s.ok, s.failed, s.sentinels, s.median, s.low, s.high, s.cv FROM series "
           "s JOIN stack_versions x ON x.stack = s.stack JOIN versions v ON v.id = x.version JOIN "
           "components c ON c.id = v.component WHERE c.name = 'openblas'");
       row.executeStep(); ++rows) {
    const Expected& e = expected.at(row.getColumn(0).getString());
    const auto n = static_cast<double>(e.rates.size());
    CHECK(row.getColumn(1).getInt() == static_cast<int>(e.rates.size()));
    CHECK(row.getColumn(2).getInt() == e.failed);
    CHECK(row.getColumn(3).getInt() == e.sentinels);
    CHECK(row.isColumnNull(4) == e.rates.empty());
    CHECK(row.isColumnNull(5) == (e.rates.size() < 6));
    if (e.rates.empty()) continue;
    CHECK(row.getColumn(4).getDouble() == Approx(median_of(e.rates)).epsilon(1e-12));
    if (e.rates.size() >= 6) {
      CHECK(row.getColumn(5).getDouble() <= row.getColumn(4).getDouble());
      CHECK(std::ranges::count(e.rates, row.getColumn(5).getDouble()) > 0);  // an order statistic
    }
    if (e.rates.size() < 2) continue;
    double mean = 0, squares = 0;
    for (const double rate : e.rates) mean += rate / n;
    for (const double rate : e.rates) squares += (rate - mean) * (rate - mean);
    CHECK(row.getColumn(7).getDouble() == Approx(std::sqrt(squares / (n - 1)) / mean).epsilon(1e-9));
  }
  CHECK(rows == expected.size());
}

void check_steps(SQLite::Database& db, const std::map<std::string, Expected>& expected) {
  std::size_t rows = 0;
  for (SQLite::Statement row(
           db,
           "SELECT a.version, b.version, p.rounds, p.slower, p.faster, p.ratio FROM steps p JOIN series "
           "o ON o.id = p.older JOIN series n ON n.id = p.newer JOIN stack_versions x ON x.stack = "
           "o.stack JOIN versions a ON a.id = x.version AND a.component = p.component JOIN "
           "stack_versions y ON y.stack = n.stack JOIN versions b ON b.id = y.version AND b.component "
           "= p.component");
       row.executeStep(); ++rows) {
    const std::string older = row.getColumn(0), newer = row.getColumn(1);
    CHECK(std::next(expected.find(older))->first == newer);  // 0.3.20 to 0.3.23: one digit each
    std::vector<double> ratios;
    for (const auto& [slot, rate] : expected.at(newer).by_slot)
      if (const auto other = expected.at(older).by_slot.find(slot);
          other != expected.at(older).by_slot.end())
        ratios.push_back(rate / other->second);
    CHECK(row.getColumn(2).getInt() == static_cast<int>(ratios.size()));
    CHECK(row.getColumn(3).getInt() == std::ranges::count_if(ratios, [](double r) { return r < 1 / 1.01; }));
    CHECK(row.getColumn(4).getInt() == std::ranges::count_if(ratios, [](double r) { return r > 1.01; }));
    if (!ratios.empty()) CHECK(row.getColumn(5).getDouble() == Approx(median_of(ratios)).epsilon(1e-3));
  }
  CHECK(rows == expected.size() - 1);
}

void check_occasions(const std::filesystem::path& file, const std::map<std::string, Expected>& expected) {
  const Questions questions(file);
  for (const SeriesSums& series : questions.series({})) {
    auto wanted = expected.at(questions.stack(series.stack).stack.components.at("openblas")).occasions;
    for (const OccasionSums& found : questions.occasions(series)) {
      INFO(found.campaign);
      REQUIRE(wanted.contains(found.campaign));
      const ExpectedOccasion& e = wanted.at(found.campaign);
      CHECK(found.first == e.first);
      CHECK(found.ok == static_cast<std::uint64_t>(e.ok));
      CHECK(found.inspections == static_cast<std::uint64_t>(e.inspections));
      for (const Measurement& m : questions.inspections(series, found)) {
        CHECK(m.campaign == found.campaign);
        CHECK_FALSE(m.sentinel);
        CHECK(m.finished >= found.first);
      }
      wanted.erase(found.campaign);
    }
    CHECK(wanted.empty());
  }
}

void check_all(const Store& store, const std::filesystem::path& file) {
  const auto expected = expected_of(store);
  SQLite::Database db(file.string(), SQLite::OPEN_READONLY);
  CHECK(db.execAndGet("SELECT count(*) FROM stale").getInt() == 0);
  check_series(db, expected);
  if (!expected.empty()) check_steps(db, expected);
  check_occasions(file, expected);
}

}  // namespace

TEST_CASE("summary: always what the inspections say, one by one and many at once, in any order") {
  const Directory directory;
  specs::Random random(20261121);
  for (int trial = 0; trial < 6; ++trial) {
    const auto file = directory / ("s" + std::to_string(trial) + ".db");
    Store store = Store::open(file);
    std::vector<specs::Inspection> documents;
    for (std::uint64_t n = 0; n < 48; ++n) {
      auto one = inspection(n, std::string(64, n % 3 ? 'a' : 'b'));
      if (n % 11 == 0) one.campaign.clear();
      // Of one moment, but "...:05.250Z" is before "...:05Z" as texts are; and a time that nobody can read.
      if (n % 5 == 0) one.finished.insert(one.finished.size() - 1, ".250");
      if (n == 17) one.finished = "2025-06-01 noon";
      // Stacks that differ by some percent, so that steps have a direction.
      for (auto& sample : one.samples_ns) sample += static_cast<std::int64_t>(n % 4) * 60'000;
      specs::seal(one);
      documents.push_back(std::move(one));
    }
    for (std::size_t i = documents.size(); i > 1; --i)
      std::swap(documents[i - 1], documents[random.below(i)]);
    while (!documents.empty()) {
      std::size_t many = std::min<std::size_t>(documents.size(), 1 + random.below(12));
      if (random.below(2)) {
        for (; many > 0; --many, documents.pop_back()) store.ingest(documents.back());
      } else {
        store.take_in(
            [&](std::string& line) {
              if (many-- == 0) return false;
              line = specs::canonical(specs::to_json(documents.back()));
              documents.pop_back();
              return true;
            },
            "lines");
      }
      check_all(store, file);
    }
    CHECK(store.check().empty());
  }
}

TEST_CASE("summary: one that is not what its inspections say is found") {
  for (const char* change :
       {"UPDATE series SET median = median * 1.001 WHERE ok > 0", "UPDATE series SET ok = ok + 1",
        "UPDATE steps SET slower = slower + 1", "DELETE FROM steps", "DELETE FROM failures",
        "UPDATE campaigns SET done = done + 1", "UPDATE series SET last = 5", "DELETE FROM occasions",
        "UPDATE occasions SET ok = ok + 1", "UPDATE occasions SET first = 5"}) {
    const Directory directory;
    const auto file = directory / "stackx.db";
    {
      Store store = Store::open(file);
      for (std::uint64_t n = 0; n < 16; ++n) store.ingest(inspection(n));
      REQUIRE(store.check().empty());
    }
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec(change);
    INFO(change);
    CHECK_FALSE(Store::open(file, Mode::read_only).check().empty());
  }
}

TEST_CASE("summary: occasions of a store that was merged, salvaged or of schema 3 are those of its inspections") {
  const Directory directory;
  const auto file = directory / "stackx.db", merged = directory / "merged.db", saved = directory / "saved.db";
  {
    Store store = Store::open(file);
    for (std::uint64_t n = 0; n < 24; ++n) store.ingest(inspection(n, std::string(64, n % 3 ? 'a' : 'b')));
    Store into = Store::open(merged);
    for (std::uint64_t n = 24; n < 36; ++n) into.ingest(inspection(n, std::string(64, 'b')));
    CHECK(merge(into, merged, file, {}).inserted == 24);
    check_all(into, merged);
  }
  CHECK(salvage(merged, saved).inspections == 36);
  check_all(Store::open(saved, Mode::read_only), saved);
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE)
      .exec("DROP TABLE occasions; DROP INDEX published_by_place; CREATE INDEX published_by_workload ON "
            "published(workload, hardware); PRAGMA user_version = 3");
  Store store = Store::open(file);
  CHECK(Questions(file).stale());
  store.finish_summaries();
  check_all(store, file);
  CHECK(store.check().empty());
}

TEST_CASE("summary: an occasion that does not hold, or whose inspections are gone, is not answered from") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  const auto change = [&](const char* sql) { SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec(sql); };
  {
    Store store = Store::open(file);
    for (std::uint64_t n = 0; n < 16; ++n) store.ingest(inspection(n));
  }
  const auto occasions_and_inspections = [&] {
    const Questions questions(file);
    std::size_t all = 0;
    for (const SeriesSums& series : questions.series({}))
      for (const OccasionSums& one : questions.occasions(series)) all += questions.inspections(series, one).size();
    return all;
  };
  CHECK(occasions_and_inspections() == 12);  // every fourth is a sentinel
  change("UPDATE occasions SET ok = ok + 1");
  CHECK_THAT(error_of(occasions_and_inspections), Catch::Contains("occasions"));
  change("UPDATE occasions SET ok = ok - 1; DELETE FROM inspections WHERE id = (SELECT max(i.id) FROM inspections i JOIN arms a ON "
         "a.id = i.id / 4096 WHERE a.sentinel = 0)");
  CHECK_THAT(error_of(occasions_and_inspections), Catch::Contains("are counted"));
}
