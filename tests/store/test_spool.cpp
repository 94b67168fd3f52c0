#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>

#include "specs/format/draft.hpp"
#include "specs/format/json.hpp"
#include "store/spool.hpp"
#include "tests/store/fixture.hpp"

using namespace stackx;
using namespace stackx::test;
using store::Spool;
using store::Store;
namespace fs = std::filesystem;

TEST_CASE("spool: a file per document, under its campaign, readable as one") {
  const Directory directory;
  Spool spool(directory / "stackx.db");
  const auto document = inspection(3);
  const auto file = spool.write(document);
  CHECK(file == directory.path() / "stackx.db-results" / "cccccccccccc" / (document.id + ".json"));
  const auto again = specs::inspection_from(specs::Node::parse_file(file));
  CHECK(specs::to_json(again) == specs::to_json(document));
  CHECK(spool.write(document) == file);  // twice is once
  CHECK(spool.write(inspection(4, "")).parent_path() ==
        directory.path() / "stackx.db-results" / "single");
  CHECK(spool.write(plan(2, 2)).filename() == "plan.json");
  std::size_t drafts = 0;
  for (const auto& entry : fs::recursive_directory_iterator(directory.path()))
    drafts += entry.is_regular_file() && entry.path().extension() != ".json";
  CHECK(drafts == 0);
}

TEST_CASE("spool: two stores in one directory keep their own files") {
  const Directory directory;
  Spool(directory / "one.db").write(inspection(3));
  Store other = Store::open(directory / "other.db");
  CHECK(Spool(directory / "other.db").recover(other).empty());
  CHECK_FALSE(other.inspection(inspection(3).id));
  Store one = Store::open(directory / "one.db");
  CHECK(Spool(directory / "one.db").recover(one).size() == 1);
  CHECK(one.inspection(inspection(3).id));
}

TEST_CASE("spool: recovery takes in what the store lacks, says so, and then has nothing to do") {
  const Directory directory;
  const auto database = directory / "stackx.db";
  Store store = Store::open(database);
  Spool spool(database);
  CHECK(spool.recover(store).empty());
  const auto campaign = plan(3, 4);
  spool.write(campaign);
  for (std::uint64_t n = 0; n < 10; ++n) spool.write(inspection(n, campaign.id));
  spool.write(inspection(50, ""));
  store.ingest(inspection(0, campaign.id));
  const auto remarks = spool.recover(store);
  REQUIRE(remarks.size() == 1);
  CHECK_THAT(remarks[0], Catch::StartsWith("11 result documents"));  // 9 + 1 inspections, the plan
  CHECK(store.measurements({}).size() == 11);
  CHECK(store.campaigns().at(0).project == "blas-cpu");
  CHECK(spool.recover(store).empty());
  CHECK(store.check().empty());
}

TEST_CASE("spool: a lost store is made again") {
  const Directory directory;
  const auto database = directory / "stackx.db";
  Spool spool(database);
  const auto campaign = plan(3, 4);
  spool.write(campaign);
  {
    Store store = Store::open(database);
    store.ingest(campaign);
    for (std::uint64_t n = 0; n < 10; ++n) {
      spool.write(inspection(n, campaign.id));
      store.ingest(inspection(n, campaign.id));
    }
  }
  fs::remove(database);
  Store store = Store::open(database);
  spool.recover(store);
  CHECK(store.measurements({}).size() == 10);
  CHECK(store.plan(campaign.id)->seed == 42);
}

TEST_CASE("spool: of a store that is removed under a campaign all is kept beside it, and said") {
  const Directory directory;
  const auto database = directory / "stackx.db";
  Spool spool(database);
  const auto campaign = plan(3, 4);
  {
    Store store = Store::open(database);
    store.ingest(campaign);
    for (std::uint64_t n = 0; n < 5; ++n) keep(inspection(n, campaign.id), spool, store);
    CHECK(store.is_in_place());
    for (const char* of : {"", "-wal", "-shm", "-results"}) fs::remove_all(database.string() + of);
    CHECK_FALSE(store.is_in_place());
    const auto said = error_of([&] { keep(inspection(5, campaign.id), spool, store); });
    CHECK_THAT(said, Catch::StartsWith(database.string() + ": the store was removed or replaced while this ran"));
    CHECK_THAT(said, Catch::Contains("all 6 inspections are kept, in " + database.string() + "-results"));
  }
  Store store = Store::open(database);
  spool.recover(store);
  CHECK(store.measurements({}).size() == 6);
  CHECK(store.plan(campaign.id));
}

TEST_CASE("spool: what cannot be written beside the store is in it, and what to do is said") {
  const Directory directory;
  const auto database = directory / "stackx.db";
  Spool spool(database);
  Store store = Store::open(database);
  write(database.string() + "-results", "in its way");
  const auto said = error_of([&] { keep(inspection(1), spool, store); });
  CHECK_THAT(said, Catch::StartsWith(database.string() + "-results"));
  CHECK_THAT(said, Catch::EndsWith("What was measured before, and this, is kept; then repeat this (a campaign with --resume)"));
  CHECK(store.inspection(inspection(1).id));
}

TEST_CASE("spool: damaged and refused files are named and stay") {
  const Directory directory;
  const auto database = directory / "stackx.db";
  Store store = Store::open(database);
  Spool spool(database);
  const auto good = inspection(1), cut = inspection(2), changed = inspection(3),
             rival = inspection(4);
  spool.write(good);
  const auto cut_file = spool.write(cut), changed_file = spool.write(changed),
             rival_file = spool.write(rival);
  write(cut_file, read(cut_file).substr(0, 300));
  std::string text = read(changed_file);
  text.replace(text.find("\"avx2\""), 6, "\"avx9\"");
  write(changed_file, text);
  auto first = rival;
  first.load_1m = 77;
  specs::seal(first);
  store.ingest(first);
  write(directory.path() / "stackx.db-results" / "cccccccccccc" / "README.txt", "not ours");
  write(directory.path() / "stackx.db-results" / "cccccccccccc" / "empty.json", "");

  const auto remarks = spool.recover(store);
  REQUIRE(remarks.size() == 5);
  CHECK_THAT(remarks[0], Catch::StartsWith("1 result documents"));
  std::string all;
  for (const auto& remark : remarks) all += remark + "\n";
  for (const auto& file : {cut_file, changed_file, rival_file}) {
    CHECK_THAT(all, Catch::Contains(file.string()));
    CHECK(fs::exists(file));
  }
  CHECK_THAT(all, Catch::Contains(first.id) && Catch::Contains("empty.json"));
  CHECK(store.inspection(good.id));
  CHECK(store.measurements({}).size() == 2);
}

TEST_CASE("spool: drafts whose writer is gone are finished if they are whole, else removed; those at work stay") {
  const Directory directory;
  const auto database = directory / "stackx.db";
  Store store = Store::open(database);
  Spool spool(database);
  // Powered off between the sync of the draft and its new name.
  const auto whole = inspection(1), older = inspection(2), half = inspection(3), at_work = inspection(4);
  const auto file = spool.write(whole), older_file = spool.write(older);
  const auto part = [&](const specs::Inspection& document, const char* ending) {
    return file.parent_path() / (document.id + ".json" + ending);
  };
  const auto hidden = [&](const specs::Inspection& document) {
    return file.parent_path() / ("." + document.id + ".json.2.stackx-draft");
  };
  fs::rename(file, hidden(whole));
  fs::rename(older_file, part(older, ".77.tmp"));
  fs::last_write_time(part(older, ".77.tmp"), fs::file_time_type::clock::now() - std::chrono::hours(2));
  const auto previous = inspection(5);  // a draft of the stackx before this
  const auto previous_file = spool.write(previous);
  fs::rename(previous_file, part(previous, ".2.part"));
  write(part(half, ".part"), read(hidden(whole)).substr(0, 300));
  write(hidden(half), read(hidden(whole)).substr(0, 300));
  write(part(half, ".77.tmp"), "{");  // perhaps of a writer of an older stackx, at work just now
  const specs::Draft draft(part(at_work, ""));

  const auto remarks = spool.recover(store);
  REQUIRE(remarks.size() == 1);
  CHECK_THAT(remarks[0], Catch::StartsWith("3 result documents"));
  CHECK(store.inspection(whole.id));
  CHECK(store.inspection(older.id));
  CHECK(store.inspection(previous.id));
  CHECK(fs::exists(file));
  CHECK(fs::exists(older_file));
  CHECK_FALSE(fs::exists(hidden(whole)));
  CHECK_FALSE(fs::exists(hidden(half)));
  CHECK_FALSE(fs::exists(part(previous, ".2.part")));
  CHECK_FALSE(fs::exists(part(older, ".77.tmp")));
  CHECK_FALSE(fs::exists(part(half, ".part")));
  CHECK(fs::exists(part(half, ".77.tmp")));
  CHECK(fs::exists(draft.path()));
}

TEST_CASE("spool: links lead nowhere: nothing behind them is read, finished, removed or written") {
  const Directory directory;
  const auto results = directory / "stackx.db-results", elsewhere = directory / "downloads";
  Store store = Store::open(directory / "stackx.db");
  const Spool spool(directory / "stackx.db");
  const auto draft = [&](const specs::Inspection& document) { return elsewhere / (document.id + ".json.part"); };
  fs::create_directories(elsewhere);
  const auto file = Spool(directory / "other.db").write(inspection(1));
  fs::rename(file, draft(inspection(1)));
  write(draft(inspection(2)), "{");
  const auto untouched = [&] {
    return std::distance(fs::directory_iterator(elsewhere), {}) == 2 && fs::exists(draft(inspection(1))) &&
           fs::exists(draft(inspection(2)));
  };
  fs::create_directories(results);
  fs::create_directory_symlink("../downloads", results / "cccccccccccc");
  fs::create_directory_symlink("../downloads", results / "single");
  auto remarks = spool.recover(store);
  REQUIRE(remarks.size() == 2);
  CHECK_THAT(remarks[0], Catch::Contains((results / "").string()) && Catch::Contains("a link"));
  CHECK(untouched());
  for (const char* campaign : {"", "cccccccccccccccc"})
    CHECK_THAT(error_of([&] { Spool(directory / "stackx.db").write(inspection(3, campaign)); }),
               Catch::Contains("a link; stackx follows none here"));
  CHECK(untouched());

  fs::remove_all(results);
  fs::create_directory(directory / "far");
  fs::rename(elsewhere, directory.path() / "far" / "single");
  fs::create_directory_symlink("far", results);
  remarks = spool.recover(store);
  REQUIRE(remarks.size() == 1);
  CHECK_THAT(remarks[0], Catch::Contains(results.string()) && Catch::Contains("a link"));
  CHECK_THROWS_AS((void)spool.place_of(""), Error);
  fs::rename(directory.path() / "far" / "single", elsewhere);
  CHECK(untouched());
  CHECK(store.measurements({}).empty());
}

TEST_CASE("spool: a store has one directory of results, whatever it is called") {
  const Directory directory;
  Store::open(directory / "stackx.db");
  fs::create_directory(directory / "elsewhere");
  fs::create_symlink("../stackx.db", directory.path() / "elsewhere" / "link.db");
  const auto file = Spool(directory.path() / "elsewhere" / "link.db").write(inspection(1));
  CHECK(fs::equivalent(file.parent_path(), directory.path() / "stackx.db-results" / "cccccccccccc"));
  CHECK(fs::exists(directory.path() / "stackx.db-results" / "cccccccccccc" / file.filename()));
}

TEST_CASE("spool: what is no plain file is not read, even where it has a document's name") {
  const Directory directory;
  Store store = Store::open(directory / "stackx.db");
  const Spool spool(directory / "stackx.db");
  const auto real = Spool(directory / "other.db").write(inspection(1)), place = spool.place_of("cccccccccccccccc");
  fs::create_symlink(real, place / real.filename());
  fs::create_symlink("/proc/kmsg", place / "plan.json");
  REQUIRE(mkfifo((place / "pipe.json").c_str(), 0600) == 0);
  const auto begin = std::chrono::steady_clock::now();
  const auto remarks = spool.recover(store);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
  REQUIRE(remarks.size() == 3);
  for (const std::string& remark : remarks) CHECK_THAT(remark, Catch::Contains("no file of its own"));
  CHECK(store.measurements({}).empty());
}

TEST_CASE("spool: drafts are those with a name that stackx gives them; others stay as they are") {
  const Directory directory;
  Store store = Store::open(directory / "stackx.db");
  Spool spool(directory / "stackx.db");
  const auto file = spool.write(inspection(1));
  const std::string id = inspection(2).id, cut = id.substr(1);
  for (const std::string& name : std::vector<std::string>{
        "report.json.part", "settings.json.5.tmp", cut + ".json.part", id + ".json.tmp",
        id + ".json.x.part", id + ".json.1.2.part", id + ".json.1.stackx-draft", "." + id + ".json.part",
        "." + id + ".json.stackx-draft", ".plans.json.1.stackx-draft", "plan.json.old.part", id + ".json.",
        id + ".json.1", "." + id + ".json.1."}) {
    const auto path = file.parent_path() / name;
    write(path, "{");
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(2));
    spool.recover(store);
    INFO(name);
    CHECK(fs::exists(path));
  }
  for (const std::string& name : std::vector<std::string>{
           "." + id + ".json.17.stackx-draft", "plan.json.part", ".plan.json.1.stackx-draft", id + ".json.3.part"}) {
    const auto path = file.parent_path() / name;
    write(path, "{");
    spool.recover(store);
    INFO(name);
    CHECK_FALSE(fs::exists(path));
  }
}
