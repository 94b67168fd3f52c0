// Rows of files that SQLite cannot read any more, and what of them is saved.
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "specs/format/json.hpp"
#include "store/mending/pages.hpp"
#include "store/mending/raw_rows.hpp"
#include "store/mending/salvage.hpp"
#include "store/merge.hpp"
#include "tests/store/fixture.hpp"

using namespace stackx;
using namespace stackx::test;
using store::Mode;
using store::PageFile;
using store::Record;
using store::Store;
namespace fs = std::filesystem;

namespace {

std::string text_of(const store::Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{:.17g}", *real);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* blob = std::get_if<store::BlobValue>(&value)) return blob->bytes;
  return "NULL";
}

std::string text_of(const SQLite::Column& column) {
  if (column.isNull()) return "NULL";
  if (column.isFloat()) return fmt::format("{:.17g}", column.getDouble());
  return column.getString();
}

// Many samples make rows that need overflow pages.
specs::Inspection large(std::uint64_t number) {
  specs::Inspection document = inspection(number);
  document.campaign = "";
  document.outcome = specs::Outcome::ok;
  document.samples_ns.clear();
  specs::Random random(number);
  for (int i = 0; i < 9000; ++i)
    document.samples_ns.push_back(static_cast<std::int64_t>(random.next() >> 2));
  specs::seal(document);
  return document;
}

std::set<std::string> documents_of(const fs::path& file) {
  std::set<std::string> documents;
  const Store store = Store::open(file, Mode::read_only);
  store::all_documents(
      store, {}, [&](const std::string& document) { documents.insert(document); },
      [](const Error& error) { throw error; });
  return documents;
}

// A store with inspections in and out of campaigns, a plan, and large rows; its documents.
std::set<std::string> fill(const fs::path& file, std::uint64_t count) {
  {
    Store store = Store::open(file);
    store.ingest(plan(4, 4));
    for (std::uint64_t n = 0; n < count; ++n)
      store.ingest(inspection(n, n % 5 == 0 ? "" : plan(4, 4).id));
    for (std::uint64_t n = 0; n < 3; ++n) store.ingest(large(n));
  }
  return documents_of(file);
}

bool is_subset(const std::set<std::string>& part, const std::set<std::string>& whole) {
  return std::ranges::includes(whole, part);
}

}  // namespace

TEST_CASE("pages: every record of a sound file, as SQLite gives them") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  fill(file, 300);
  PageFile pages(file);
  const auto roots = pages.roots();
  SQLite::Database db(file.string(), SQLite::OPEN_READONLY);
  std::size_t compared = 0;
  for (const char* table : {"hosts", "versions", "stack_versions", "contexts", "series", "arms",
                            "inspections", "conditions"}) {
    INFO(table);
    std::vector<std::string> expected, found;
    for (SQLite::Statement rows(db, fmt::format("SELECT * FROM {}", table)); rows.executeStep();) {
      expected.emplace_back();
      for (int c = 0; c < rows.getColumnCount(); ++c)
        expected.back() += text_of(rows.getColumn(c)) + "|";
    }
    const bool has_rows = std::string(table) != "stack_versions";
    pages.walk(roots.at(table), [&](const Record& record) {
      found.emplace_back();
      for (std::size_t c = 0; c < record.values.size(); ++c)
        found.back() +=
            (has_rows && c == 0 ? std::to_string(record.row) : text_of(record.values[c])) + "|";
    });
    std::ranges::sort(expected);
    std::ranges::sort(found);
    CHECK(found == expected);
    compared += found.size();
  }
  CHECK(compared > 350);
  CHECK(pages.unreadable() == 0);
}

TEST_CASE("raw rows: no two tables look alike, so that a lost page's rows find theirs") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  Store::open(file);
  SQLite::Database db(file.string(), SQLite::OPEN_READONLY);
  std::map<std::string, std::string> shapes;
  SQLite::Statement tables(db,
                           "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = "
                           "'table' AND NOT wr AND name NOT LIKE 'sqlite%'");
  while (tables.executeStep()) {
    const std::string name = tables.getColumn(0).getString();
    std::string shape;
    SQLite::Statement columns(db,
                              "SELECT type || \"notnull\" FROM pragma_table_info(?) WHERE NOT pk");
    columns.bind(1, name);
    while (columns.executeStep()) shape += columns.getColumn(0).getString() + ",";
    INFO(name << " looks like " << shapes[shape]);
    CHECK(shapes[shape].empty());
    shapes[shape] = name;
  }
  CHECK(shapes.size() > 10);
}

TEST_CASE("salvage: a sound store is saved whole, and so is its write-ahead log") {
  const Directory directory;
  const auto file = directory / "stackx.db", to = directory / "new.db";
  const auto documents = fill(file, 200);
  Store writer = Store::open(file);  // while it is open, its last documents are in the log only
  writer.ingest(inspection(5000));
  REQUIRE(fs::file_size(file.string() + "-wal") > 0);
  const std::string before = read(file), log = read(file.string() + "-wal");
  const auto saved = store::salvage(file, to);
  CHECK(saved.inspections == documents.size());  // less the plan, and the one in the log
  CHECK(saved.plans == 1);
  CHECK(saved.lost == 0);
  CHECK(saved.unreadable == 0);
  CHECK(documents_of(to) == documents_of(file));
  CHECK(Store::open(to, Mode::read_only).check().empty());
  CHECK(read(file) == before);
  CHECK(read(file.string() + "-wal") == log);
  CHECK_THAT(error_of([&] { store::salvage(file, to); }), Catch::Contains("exists already"));
  CHECK_THAT(error_of([&] { store::salvage(file, file); }), Catch::Contains("itself"));
}

TEST_CASE(
    "salvage: each page destroyed in turn costs what it held, never more, and nothing untrue is "
    "saved") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  const auto documents = fill(file, 200);
  const std::string sound = read(file);
  const std::size_t page_size = 256U * static_cast<unsigned char>(sound[16]);
  const std::size_t pages = sound.size() / page_size;
  REQUIRE(pages > 25);
  std::size_t whole = 0, total = 0, tried = 0;
  for (std::size_t page = 0; page < pages; page += page < 12 ? 1 : 3, ++tried) {
    std::string bytes = sound;
    bytes.replace(page * page_size, page_size, std::string(page_size, tried % 2 ? '\0' : '\x5a'));
    write(file, bytes);
    const auto to = directory / fmt::format("new-{}.db", page);
    INFO("page " << page + 1);
    const auto saved = store::salvage(file, to);
    CHECK(read(file) == bytes);
    const auto found = documents_of(to);
    CHECK(is_subset(found, documents));
    CHECK(found.size() == saved.inspections + saved.plans);
    whole += found.size() == documents.size();
    total += found.size();
  }
  // Indexes, free and inner pages cost nothing; most others hold a few documents.
  CHECK(whole * 4 > tried);
  CHECK(total * 4 > tried * documents.size() * 3);
}

TEST_CASE("salvage: flipped bytes anywhere") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  const auto documents = fill(file, 120);
  const std::string sound = read(file);
  specs::Random random(20261121);
  std::size_t total = 0;
  constexpr int trials = 24;
  for (int trial = 0; trial < trials; ++trial) {
    std::string bytes = sound;
    const std::uint64_t flips = 1 + random.below(20);
    for (std::uint64_t f = 0; f < flips; ++f)
      bytes[random.below(trial % 4 == 0 ? 8192 : bytes.size())] ^=
          static_cast<char>(1 + random.below(255));
    write(file, bytes);
    const auto to = directory / fmt::format("new-{}.db", trial);
    INFO("trial " << trial);
    const auto saved = store::salvage(file, to);
    const auto found = documents_of(to);
    CHECK(is_subset(found, documents));
    CHECK(found.size() == saved.inspections + saved.plans);
    CHECK(Store::open(to, Mode::read_only).check().empty());
    total += found.size();
  }
  CHECK(total > trials * documents.size() / 2);
}

TEST_CASE("salvage: inner pages gone, where SQLite reads nothing any more") {
  const Directory directory;
  const auto file = directory / "stackx.db", to = directory / "new.db";
  const auto documents = fill(file, 600);
  std::string bytes = read(file);
  const std::size_t page_size = 256U * static_cast<unsigned char>(bytes[16]);
  std::size_t destroyed = 0;
  for (std::size_t at = page_size; at < bytes.size(); at += page_size)
    if (bytes[at] == 0x05) {
      bytes.replace(at, page_size, std::string(page_size, '\0'));
      ++destroyed;
    }
  REQUIRE(destroyed > 0);
  write(file, bytes);
  CHECK_THROWS_AS((void)Store::open(file, Mode::read_only).measurements({}), Error);
  const auto saved = store::salvage(file, to);
  CHECK(saved.lost == 0);
  CHECK(documents_of(to) == documents);
}

TEST_CASE("salvage: the result documents beside the damaged store are taken in") {
  const Directory directory;
  const auto file = directory / "stackx.db", to = directory / "new.db";
  fill(file, 20);
  const auto results = directory / "stackx.db-results" / "single";
  fs::create_directories(results);
  const auto extra = inspection(7777, "");
  write(results / (extra.id + ".json"), specs::canonical(specs::to_json(extra)) + "\n");
  write(results / "damaged.json", "{");
  const auto saved = store::salvage(file, to);
  REQUIRE(saved.remarks.size() == 2);
  CHECK(documents_of(to).contains(specs::canonical(specs::to_json(extra))));
}

TEST_CASE("salvage: what is no store is refused, and nothing is left behind") {
  const Directory directory;
  const auto file = directory / "notes.txt", to = directory / "new.db";
  write(file, "short");
  CHECK_THROWS_AS(store::salvage(file, to), Error);
  CHECK_THROWS_AS(store::salvage(directory / "missing.db", to), Error);
  CHECK_THROWS_AS(store::salvage(directory.path(), to), Error);
  write(file, std::string(100'000, 'x'));
  CHECK_THAT(error_of([&] { store::salvage(file, to); }), Catch::Contains("nothing"));
  CHECK(std::distance(fs::directory_iterator(directory.path()), {}) == 1);
}
