#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "specs/format/json.hpp"
#include "tests/store/fixture.hpp"

using namespace stackx;
using namespace stackx::test;
using store::Ingest;
using store::Mode;
using store::Store;

namespace {

std::string text_of(const specs::Inspection& inspection) {
  return specs::canonical(specs::to_json(inspection));
}

}  // namespace

TEST_CASE("store: every document comes back byte for byte") {
  const Directory directory;
  const auto file = directory / "deep/er/stackx.db";
  std::vector<specs::Inspection> all;
  {
    Store store = Store::open(file);
    for (std::uint64_t n = 0; n < 40; ++n) {
      all.push_back(inspection(n, n % 5 == 4 ? "" : std::string(64, 'c')));
      REQUIRE(store.ingest(all.back()) == Ingest::inserted);
    }
  }
  const Store store = Store::open(file, Mode::read_only);
  for (const auto& expected : all) {
    const auto found = store.inspection(expected.id);
    REQUIRE(found);
    CHECK(text_of(*found) == text_of(expected));
    CHECK(store.inspection(expected.id).has_value());
    CHECK(store.inspection(expected.id.substr(0, 12))->id == expected.id);
  }
  CHECK_FALSE(store.inspection(std::string(64, '0')));
  CHECK_FALSE(store.inspection(std::string(64, '0')).has_value());
  CHECK(store.check().empty());
}

TEST_CASE("store: odd but valid documents come back as well") {
  const Directory directory;
  Store store = Store::open(directory / "stackx.db");
  specs::Inspection odd;
  odd.reason =
      "not UTF-8: \xff\xfe; a zero: " + std::string(1, '\0') + "; '); DROP TABLE inspections; --";
  odd.stdout_tail = std::string("\xc3\x28\0tail", 7);
  odd.stack.components = {{"'; DROP TABLE stacks; --", "\"1\""}};
  odd.workload = {"matmul", {{"a-b", "y;'\"z"}}};
  odd.round = ~0ULL;
  odd.position = 1ULL << 63;
  odd.samples_ns = {-5, 0, INT64_MAX, INT64_MIN};
  odd.work = {1e308, 5e-324, -0.0};
  odd.load_1m = 1e-9;
  specs::seal(odd);
  REQUIRE(store.ingest(odd) == Ingest::inserted);
  CHECK(text_of(*store.inspection(odd.id)) == text_of(odd));
  const auto measurements = store.measurements({});
  REQUIRE(measurements.size() == 1);
  CHECK(measurements[0].round == odd.round);
  CHECK(measurements[0].samples_ns == odd.samples_ns);
  CHECK(measurements[0].workload == odd.workload);
  CHECK(measurements[0].stack == odd.stack);
  CHECK(store.check().empty());
}

TEST_CASE("store: a campaign comes back in the order of its rounds, up to the last that a number can hold") {
  const Directory directory;
  Store store = Store::open(directory / "stackx.db");
  std::vector<std::string> expected;
  for (const std::uint64_t round : std::vector<std::uint64_t>{0, 4096, (1ULL << 63) - 1, 1ULL << 63, ~0ULL}) {
    specs::Inspection one = inspection(7);
    one.round = round;
    specs::seal(one);
    REQUIRE(store.ingest(one) == Ingest::inserted);
    expected.push_back(one.id);
    CHECK(store.done(one.campaign).contains({round, one.arm}));
  }
  CHECK(ids(store, inspection(7).campaign) == expected);
}

TEST_CASE("store: work beyond all measure does not overflow what is summed up") {
  const Directory directory;
  Store store = Store::open(directory / "stackx.db");
  for (std::uint64_t round = 0; round < 12; ++round) {
    specs::Inspection odd;
    odd.round = round;
    odd.stack.components = {{"a", "1"}};
    odd.workload = {"hello", {}};
    odd.samples_ns = {1, 1, 1};
    odd.work = {0, 0, round % 2 == 0 ? 1e300 : 1e-300};
    specs::seal(odd);
    REQUIRE(store.ingest(odd) == Ingest::inserted);
  }
  CHECK(store.check().empty());
}

TEST_CASE("store: what no reader would accept is not stored") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  Store store = Store::open(file);
  const auto before = dump(file);
  auto odd = inspection(1);
  odd.workload.params["a,b=c:d"] = "1";
  specs::seal(odd);
  CHECK_THAT(error_of([&] { store.ingest(odd); }),
             Catch::Contains("a,b=c:d") && Catch::Contains(odd.id));
  CHECK(dump(file) == before);
}

TEST_CASE("store: ingesting twice changes nothing, in any table") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  Store store = Store::open(file);
  const auto campaign = plan(3, 4);
  CHECK(store.ingest(campaign) == Ingest::inserted);
  for (std::uint64_t n = 0; n < 12; ++n)
    CHECK(store.ingest(inspection(n, campaign.id)) == Ingest::inserted);
  const auto before = dump(file);
  CHECK(before.size() > 30);
  CHECK(store.ingest(campaign) == Ingest::already_there);
  for (std::uint64_t n = 0; n < 12; ++n)
    CHECK(store.ingest(inspection(n, campaign.id)) == Ingest::already_there);
  CHECK(dump(file) == before);
}

TEST_CASE("store: the order in which documents arrive does not matter") {
  const Directory directory;
  const auto campaign = plan(3, 4);
  Store forwards = Store::open(directory / "a.db"), backwards = Store::open(directory / "b.db");
  forwards.ingest(campaign);
  for (std::uint64_t n = 0; n < 12; ++n) forwards.ingest(inspection(n, campaign.id));
  for (std::uint64_t n = 12; n-- > 0;) backwards.ingest(inspection(n, campaign.id));
  CHECK(backwards.campaigns().at(0).project.empty());  // known only through its inspections so far
  CHECK(backwards.ingest(campaign) == Ingest::inserted);
  CHECK(backwards.campaigns().at(0).project == "blas-cpu");
  CHECK(ids(forwards, campaign.id) == ids(backwards, campaign.id));
  const auto a = forwards.measurements({}), b = backwards.measurements({});
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i].inspection == b[i].inspection);
}

TEST_CASE("store: content that does not match its id is refused") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  Store store = Store::open(file);
  const auto before = dump(file);
  auto changed = inspection(1);
  const std::string old_id = changed.id;
  changed.samples_ns[0] += 1;
  CHECK_THAT(error_of([&] { store.ingest(changed); }),
             Catch::Contains(old_id) && Catch::Contains("was changed"));
  changed.id.clear();
  CHECK_THAT(error_of([&] { store.ingest(changed); }), Catch::Contains("without id"));
  auto campaign = plan(3, 2);
  campaign.seed = 43;
  CHECK_THAT(error_of([&] { store.ingest(campaign); }), Catch::Contains("does not match"));
  CHECK(dump(file) == before);
}

TEST_CASE("store: one place in a campaign holds one document, and the refusal names both") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  Store store = Store::open(file);
  const auto first = inspection(5);
  auto second = first;
  second.load_1m += 1;
  specs::seal(second);
  store.ingest(first);
  const auto before = dump(file);
  CHECK_THAT(error_of([&] { store.ingest(second); }),
             Catch::Contains(first.id) && Catch::Contains(second.id) && Catch::Contains("arm-1"));
  CHECK(dump(file) == before);  // the transaction left nothing behind
  second.campaign.clear();      // outside of campaigns there are no places
  specs::seal(second);
  CHECK(store.ingest(second) == Ingest::inserted);
  second.load_1m += 1;
  specs::seal(second);
  CHECK(store.ingest(second) == Ingest::inserted);
  CHECK(ids(store, "").size() == 2);
}

TEST_CASE("store: a refused document after new shared rows leaves none of them") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  Store store = Store::open(file);
  store.ingest(inspection(5));
  const auto before = dump(file);
  auto other = inspection(5);
  other.stack.components["new-component"] = "1";
  other.host.hostname = "another";
  specs::seal(other);
  CHECK_THROWS_AS(store.ingest(other), Error);
  CHECK(dump(file) == before);
}

TEST_CASE("store: where it is by default") {
  const char* variables[] = {"STACKX_DB", "XDG_DATA_HOME", "HOME"};
  std::vector<std::pair<const char*, std::optional<std::string>>> saved;
  for (const char* name : variables) {
    const char* value = std::getenv(name);
    saved.emplace_back(name, value ? std::optional<std::string>(value) : std::nullopt);
    ::unsetenv(name);
  }
  CHECK_THROWS_AS(store::default_path(""), Error);
  ::setenv("HOME", "/home/x", 1);
  CHECK(store::default_path("") == "/home/x/.local/share/stackx/stackx.db");
  ::setenv("XDG_DATA_HOME", "relative", 1);  // to be ignored
  CHECK(store::default_path("") == "/home/x/.local/share/stackx/stackx.db");
  ::setenv("XDG_DATA_HOME", "/data", 1);
  CHECK(store::default_path("") == "/data/stackx/stackx.db");
  ::setenv("STACKX_DB", "/tmp/a.db", 1);
  CHECK(store::default_path("") == "/tmp/a.db");
  CHECK(store::default_path("b.db") == "b.db");
  for (const auto& [name, value] : saved)
    value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name);
}
