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

// Pages of 8 KiB, put together by hand; the first says so.
std::string page_of(const std::string& content = "") {
  std::string page = content;
  page.resize(8192);
  return page;
}

std::string big_endian(std::size_t value, int width) {
  std::string bytes;
  while (width-- > 0) bytes += static_cast<char>(value >> 8 * width);
  return bytes;
}

std::string varint(std::size_t value) {
  std::string bytes(1, static_cast<char>(value & 0x7f));
  while (value >>= 7) bytes.insert(0, 1, static_cast<char>(0x80 | (value & 0x7f)));
  return bytes;
}

std::string head() {
  return page_of("SQLite format 3" + std::string(1, '\0') + big_endian(8192, 2));
}

// A leaf of a table: cells at these places, in this order, and what lies behind the pointers.
std::string leaf(const std::vector<std::size_t>& cells, const std::string& end) {
  std::string page = "\x0d" + big_endian(0, 2) + big_endian(cells.size(), 2) + big_endian(0, 3);
  for (const std::size_t cell : cells) page += big_endian(cell, 2);
  page.resize(8192 - end.size());
  return page + end;
}

std::vector<Record> rest_of(const fs::path& file, const std::string& bytes) {
  write(file, bytes);
  PageFile pages(file);
  std::vector<Record> records;
  pages.rest([&](const Record& record) { records.push_back(record); });
  return records;
}

}  // namespace

TEST_CASE("pages: what is named again and again, or in a circle, is not read as often") {
  const Directory directory;
  const auto file = directory / "bomb.db";
  SECTION("one cell by all pointers") {
    const std::string only = "\x03\x07\x02\x01\x2a";  // row 7: 42
    const auto records = rest_of(file, head() + leaf(std::vector<std::size_t>(3000, 8192 - only.size()), only));
    REQUIRE(records.size() == 1);
    CHECK(records[0].row == 7);
    CHECK(text_of(records[0].values.at(0)) == "42");
  }
  SECTION("cells in one another") {  // each holds a blob, and in it all those behind it
    std::vector<std::size_t> cells;
    std::string end;
    for (std::size_t at = 4000; at < 8000; at += 6) {
      const std::size_t blob = 8192 - at - 6;
      cells.push_back(at);
      end += varint(blob + 3) + "\x07\x03" + varint(12 + 2 * blob);
    }
    end.resize(8192 - 4000);
    std::size_t bytes = 0;
    for (const Record& record : rest_of(file, head() + leaf(cells, end))) bytes += text_of(record.values.at(0)).size();
    CHECK(bytes > 8192);
    CHECK(bytes <= 8 * 8192);
  }
  // A blob's record whose first bytes stand in the cell, and the rest on page 2 and those that it names.
  const auto cell = [](std::size_t blob) {
    const std::string type = varint(12 + 2 * blob);
    const std::size_t size = blob + 1 + type.size(), least = (8192 - 12) * 32 / 255 - 23;
    const std::size_t local = least + (size - least) % (8192 - 4);
    REQUIRE(local <= 8192 - 35);
    std::string payload = varint(1 + type.size()) + type;
    payload.resize(local);
    return varint(size) + "\x07" + payload + big_endian(2, 4);
  };
  SECTION("one chain by many cells") {
    const std::string of_chain = cell(20'000);
    std::string bytes = head() + page_of(big_endian(3, 4)) + page_of();
    for (int page = 0; page < 100; ++page) bytes += leaf({8192 - of_chain.size()}, of_chain);
    CHECK(rest_of(file, bytes).size() == 8);
  }
  SECTION("a chain that is a circle") {
    const std::string of_chain = cell(499'000);
    std::string bytes = head() + page_of(big_endian(2, 4)) + leaf({8192 - of_chain.size()}, of_chain);
    for (int page = 0; page < 100; ++page) bytes += page_of();
    CHECK(rest_of(file, bytes).empty());
  }
  SECTION("more columns than SQLite has") {
    const std::string columns = std::string("\xa7\x12\x07\xa7\x12", 5) + std::string(5008, '\0');
    CHECK(rest_of(file, head() + leaf({8192 - columns.size()}, columns)).empty());
  }
}

TEST_CASE("salvage: a record without columns is no row") {
  const Directory directory;
  const auto file = directory / "stackx.db", to = directory / "new.db";
  const auto documents = fill(file, 20);
  write(file, read(file) + leaf({8192 - 3}, std::string("\x01\x07\x01", 3)));
  store::salvage(file, to);
  CHECK(documents_of(to) == documents);
}

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
