// A copy of a store at one moment.
#include <SQLiteCpp/Database.h>

#include <catch2/catch.hpp>

#include "store/backup.hpp"
#include "tests/store/fixture.hpp"

using namespace stackx;
using namespace stackx::test;
using store::Store;
namespace fs = std::filesystem;

TEST_CASE("backup: all that was committed, while another writes") {
  const Directory directory;
  const auto file = directory / "stackx.db", copy = directory / "copy.db";
  Store store = Store::open(file);
  for (std::uint64_t n = 0; n < 20; ++n) store.ingest(inspection(n));
  const auto held = dump(file);
  SQLite::Database other(file.string(), SQLite::OPEN_READWRITE);
  other.exec("BEGIN IMMEDIATE; UPDATE campaigns SET project = 'on its way'");
  const auto bytes = store::backup(file, copy);
  CHECK(bytes == fs::file_size(copy));
  other.exec("ROLLBACK");
  CHECK(dump(copy) == held);
  CHECK(Store::open(copy).check().empty());
  CHECK(store.ingest(inspection(20)) == store::Ingest::inserted);
}

TEST_CASE("backup: no file is replaced, and nothing is left where it fails") {
  const Directory directory;
  const auto file = directory / "stackx.db", copy = directory / "copy.db";
  Store::open(file).ingest(inspection(1));
  write(copy, "mine");
  CHECK_THAT(error_of([&] { store::backup(file, copy); }), Catch::Contains("exists already"));
  CHECK(read(copy) == "mine");
  CHECK_THAT(error_of([&] { store::backup(directory / "none.db", directory / "new.db"); }), Catch::Contains("no such store"));
  {
    SQLite::Database damaged(file.string(), SQLite::OPEN_READWRITE);
    damaged.exec("UPDATE contexts SET document = document || ' '");
  }
  CHECK_THAT(error_of([&] { store::backup(file, directory / "new.db"); }), Catch::Contains("is damaged"));
  for (const auto& entry : fs::directory_iterator(directory.path())) CHECK_THAT(entry.path().filename().string(), !Catch::Contains("new"));
}
