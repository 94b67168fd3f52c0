#include <SQLiteCpp/Database.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>

#include "store/connection.hpp"
#include "store/inventory.hpp"
#include "store/mending/salvage.hpp"
#include "tests/store/fixture.hpp"

using namespace stackx;
using namespace stackx::test;
using store::Mode;
using store::Step;
using store::Store;
namespace fs = std::filesystem;

namespace {

std::string open_error(const fs::path& file, Mode mode = Mode::read_write) {
  return error_of([&] { Store::open(file, mode); });
}

void make_foreign(const fs::path& file, const std::string& sql) {
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(sql);
}

// Runs `work` in a child without root's right to write anywhere; whether it returned normally.
template <typename Work>
bool as_nobody(Work work) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(9);
    try {
      work();
      ::_exit(0);
    } catch (const std::exception& error) {
      ::write(2, error.what(), std::strlen(error.what()));
      ::_exit(1);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("open: what is in the head of the file") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  Store::open(file);
  SQLite::Database db(file.string());
  CHECK(db.execAndGet("PRAGMA application_id").getInt() == store::application_id);
  CHECK(db.execAndGet("PRAGMA user_version").getInt() == store::steps().back().version);
  CHECK(db.execAndGet("PRAGMA journal_mode").getString() == "wal");
}

TEST_CASE("open: a journal that names another file is not played, however the store is named") {
  const Directory directory;
  const auto file = directory / "stackx.db", victim = directory / "victim";
  Store::open(file);
  const auto page = static_cast<std::uint32_t>(SQLite::Database(file.string()).execAndGet("PRAGMA page_size").getInt());
  write(victim, "precious");
  const auto link = directory / "link.db", further = directory / "further.db";
  fs::create_symlink("stackx.db", link);
  fs::create_directory(directory / "sub");
  fs::create_symlink("../link.db", directory.path() / "sub" / "link.db");
  fs::create_symlink(directory.path() / "sub" / "link.db", further);
  const auto big_endian = [](std::uint32_t value) {
    return std::string{static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
                       static_cast<char>(value)};
  };
  // SQLite's format: a header without records, then the name of the super-journal, its length and its sum.
  const std::string magic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", name = victim.string();
  std::uint32_t sum = 0;
  for (const char c : name) sum += static_cast<std::uint32_t>(static_cast<signed char>(c));
  std::string journal = magic + big_endian(0) + big_endian(1) + big_endian(1) + big_endian(512) + big_endian(page);
  journal.resize(512);
  journal += big_endian(0x40000000 / page + 1) + name + big_endian(static_cast<std::uint32_t>(name.size())) +
             big_endian(sum) + magic;
  write(file.string() + "-journal", journal);
  for (const auto& name : {file, link, further})
    for (const Mode mode : {Mode::read_only, Mode::read_write}) {
      CHECK_THAT(error_of([&] { Store::open(name, mode); }),  // or none, which fails
                 Catch::Matchers::Contains("names another file, which SQLite would delete"));
      CHECK(fs::exists(victim));
    }
}

TEST_CASE("open: a link to a store is that store, its log too") {
  const Directory directory;
  const auto file = directory / "stackx.db", link = directory / "link.db", salvaged = directory / "new.db";
  Store writer = Store::open(file);
  writer.ingest(inspection(1));
  fs::create_symlink("stackx.db", link);
  CHECK(Store::open(link, Mode::read_only).inspection(inspection(1).id));
  Store::open(link).ingest(inspection(2));
  CHECK(writer.inspection(inspection(2).id));
  CHECK(store::inventory(link).log_bytes > 0);
  CHECK(store::salvage(link, salvaged).inspections == 2);
  fs::create_symlink("not-yet.db", directory / "early.db");
  Store::open(directory / "early.db");
  CHECK(fs::is_regular_file(directory / "not-yet.db"));
}

TEST_CASE("open: a store with anything that SQLite would run by itself") {
  const Directory directory;
  const auto forged = [](const char* name, const char* old, const char* now) {
    return fmt::format("PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = replace(sql, '{}', '{}') "
                       "WHERE name = '{}' AND instr(sql, '{}')", old, now, name, old);
  };
  const std::string computed = "AS (instr(zeroblob(2000000), zeroblob(1000000) || x''01''))";  // half a minute
  int number = 0;
  for (const std::string& sql : {
           std::string("CREATE VIEW v AS SELECT 1"),
           std::string("CREATE TRIGGER t AFTER INSERT ON campaigns BEGIN SELECT 1; END"),
           std::string("CREATE TABLE mine(x)"),
           std::string("CREATE INDEX mine ON campaigns(length(name))"),
           std::string("CREATE INDEX mine ON campaigns(name) WHERE abs(done) > 1"),
           std::string("CREATE INDEX mine ON campaigns(name COLLATE nocase)"),
           std::string("ALTER TABLE campaigns ADD COLUMN more INTEGER GENERATED ALWAYS AS (done) VIRTUAL"),
           std::string("CREATE VIRTUAL TABLE mine USING fts5(x); PRAGMA writable_schema=ON; UPDATE sqlite_schema SET "
                       "sql = 'CREATE/**/VIRTUAL TABLE mine USING fts5(x)' WHERE name = 'mine'"),
           forged("campaigns", "failed INTEGER NOT NULL DEFAULT 0", ("failed INTEGER NOT NULL " + computed).c_str()),
           forged("campaigns", "TEXT NOT NULL UNIQUE", "TEXT NOT NULL UNIQUE CHECK(randomblob(9) IS NOT name)"),
           forged("campaigns", "done INTEGER NOT NULL DEFAULT 0", "done INTEGER NOT NULL DEFAULT (random())"),
           forged("devices_by_hardware", "hardware)", "hardware) WHERE name <> 1"),
           forged("campaigns", "CREATE TABLE campaigns", "CREATE TABLE/**/campaigns"),
           "ANALYZE; " + forged("sqlite_stat1", "stat)", ("stat " + computed + ")").c_str()),
           "CREATE TABLE mine(x DEFAULT '" + std::string(1 << 20, 'x') + "')"}) {
    const auto file = directory / fmt::format("{}.db", ++number);
    Store::open(file).ingest(inspection(1));
    const std::string before = read(file);
    make_foreign(file, sql);
    REQUIRE(read(file) != before);
    INFO(sql.substr(0, 300));
    const auto begin = std::chrono::steady_clock::now();
    for (const Mode mode : {Mode::read_only, Mode::read_write})
      CHECK_THAT(open_error(file, mode), Catch::Matchers::Contains("is not one that stackx makes") &&
                                             Catch::Matchers::Contains(file.string()));
    CHECK(store::salvage(file, directory / fmt::format("{}-saved.db", number)).inspections == 1);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60));
  }
}

TEST_CASE("open: the objects of every schema are known as SQLite keeps them") {
  const Directory directory;
  for (std::size_t had = 1; had <= store::steps().size(); ++had) {
    const auto steps = store::steps().first(had);
    const auto file = directory / fmt::format("{}.db", had);
    store::Connection(file, Mode::read_write, steps);
    store::Connection again(file, Mode::read_only, steps);
    std::map<std::string, std::string> kept;
    for (auto rows = again.prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"); rows.next();)
      kept[rows.text(0)] = store::without_space(rows.text(1));
    CHECK(kept == store::objects_after(steps));
    CHECK(kept.size() > 10);
  }
}

TEST_CASE("open: what is no file") {
  const Directory directory;
  const auto pipe = directory / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THAT(open_error(pipe, Mode::read_only), Catch::Matchers::Contains("a pipe or device; expected a store file"));
  CHECK_THROWS_AS(store::salvage(pipe, directory / "new.db"), Error);  // and waits for nobody who writes into it
  fs::create_symlink("loop.db", directory / "loop.db");
  CHECK_THAT(open_error(directory / "loop.db"), Catch::Matchers::Contains("name the file itself"));
}

TEST_CASE("open: files of others are refused and left as they are") {
  const Directory directory;
  const auto text = directory / "notes.db", other = directory / "other.db",
             foreign = directory / "foreign.db", newer = directory / "newer.db";
  write(text,
        "This is no database, but a text that is somewhat longer than the head of an SQLite file "
        "would be. ....");
  make_foreign(other, "CREATE TABLE t(x)");
  make_foreign(foreign, "PRAGMA application_id=7; CREATE TABLE t(x)");
  Store::open(newer);
  make_foreign(newer, "PRAGMA journal_mode=DELETE; PRAGMA user_version=99");
  for (const Mode mode : {Mode::read_write, Mode::read_only}) {
    for (const auto& [path, what] : {std::pair{text, "not a stackx store"},
                                     {other, "another program"},
                                     {foreign, "another program"},
                                     {newer, "newer stackx (schema 99"}}) {
      const std::string before = read(path);
      CHECK_THAT(open_error(path, mode), Catch::Contains(path.string()) && Catch::Contains(what));
      CHECK(read(path) == before);
    }
  }
  CHECK_THAT(open_error(directory.path()), Catch::Contains("a directory"));
  CHECK_THAT(open_error(directory / "missing.db", Mode::read_only),
             Catch::Contains("no such store"));
  CHECK_FALSE(fs::exists(directory / "missing.db"));
  CHECK_THAT(open_error("/proc/stackx/stackx.db"), Catch::Contains("/proc/stackx"));
}

TEST_CASE("open: an empty file becomes a store, but not read-only") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  write(file, "");
  CHECK_THAT(open_error(file, Mode::read_only), Catch::Contains("empty store"));
  CHECK_FALSE(Store::open_if_readable(file));
  CHECK_FALSE(Store::open_if_readable(directory / "missing.db"));
  Store::open(file).ingest(inspection(1));
  CHECK(Store::open_if_readable(file)->inspection(inspection(1).id));
}

TEST_CASE("open: a cut file is an Error") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  {
    Store store = Store::open(file);
    for (std::uint64_t n = 0; n < 20; ++n) store.ingest(inspection(n));
  }
  const std::string whole = read(file);
  for (const std::size_t size :
       {std::size_t{50}, std::size_t{4096}, whole.size() / 2, whole.size() - 5000}) {
    write(file, whole.substr(0, size));
    CHECK_THROWS_AS((void)Store::open(file, Mode::read_only).measurements({}), Error);
    CHECK(read(file) == whole.substr(0, size));
  }
}

TEST_CASE("open: read-only does not write, not even with permission") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  Store::open(file).ingest(inspection(1));
  const std::string before = read(file);
  Store store = Store::open(file, Mode::read_only);
  CHECK(store.measurements({}).size() == 1);
  CHECK_THAT(error_of([&] { store.ingest(inspection(2)); }), Catch::Contains("read-only"));
  CHECK_THAT(error_of([&] { store.ingest(plan(1, 1)); }), Catch::Contains("read-only"));
  CHECK(read(file) == before);
}

TEST_CASE("open: a read-only file in a read-only directory can be read, and a writer is told") {
  const Directory directory;
  const fs::path place = directory / "archive", file = place / "stackx ?#%.db";
  {
    Store store = Store::open(file);
    for (std::uint64_t n = 0; n < 10; ++n) store.ingest(inspection(n));
  }
  fs::permissions(directory.path(),
                  fs::perms::owner_all | fs::perms::others_exec | fs::perms::group_exec);
  fs::permissions(file, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
  fs::permissions(place, fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read |
                             fs::perms::others_exec);
  CHECK(as_nobody([&] {
    const Store store = Store::open(file, Mode::read_only);
    if (store.measurements({}).size() != 10 || !store.check().empty())
      throw std::runtime_error("incomplete");
    const std::string message = open_error(file);
    if (message.find("cannot be written") == std::string::npos) throw std::runtime_error(message);
  }));
  fs::permissions(place, fs::perms::owner_all);
  CHECK_FALSE(fs::exists(file.string() + "-wal"));
}

TEST_CASE("open: steps run once each, in order, and an old store goes forward with its rows") {
  static constexpr std::array two{Step{1, "one", "CREATE TABLE a(x) STRICT"},
                                  Step{2, "two", "CREATE TABLE b(y)"}};
  static constexpr std::array good{
      Step{1, "one", "CREATE TABLE a(x INTEGER) STRICT; INSERT INTO a VALUES(7)"},
      Step{2, "two", "ALTER TABLE a ADD COLUMN y INTEGER NOT NULL DEFAULT 5"}};
  const Directory directory;
  const auto file = directory / "stackx.db";
  { store::Connection first(file, Mode::read_write, std::span(good).first(1)); }
  CHECK_THAT(error_of([&] { store::Connection(file, Mode::read_only, good); }),
             Catch::Contains("older"));
  for (int again = 0; again < 2; ++again) {
    store::Connection connection(file, Mode::read_write, good);
    store::Cursor cursor = connection.prepare("SELECT x, y FROM a");
    REQUIRE(cursor.next());
    CHECK(cursor.integer(0) == 7);
    CHECK(cursor.integer(1) == 5);
    CHECK_FALSE(cursor.next());
  }
  // A step that fails leaves the store as it was before it.
  const auto other = directory / "other.db";
  CHECK_THROWS_AS(store::Connection(other, Mode::read_write, two), Error);  // STRICT needs a type
  CHECK(
      SQLite::Database(other.string()).execAndGet("SELECT count(*) FROM sqlite_schema").getInt() ==
      0);
  CHECK(SQLite::Database(other.string()).execAndGet("PRAGMA user_version").getInt() == 0);
}
