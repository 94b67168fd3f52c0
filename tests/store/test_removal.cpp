// Results out of a store: what is left is what would be there had they never come.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "specs/format/seal.hpp"
#include "store/removal.hpp"
#include "tests/store/fixture.hpp"

using namespace stackx;
using namespace stackx::test;
using store::Removal;
using store::Spool;
using store::Store;
namespace fs = std::filesystem;

namespace removal_tests {
namespace {

const std::string first(64, 'a'), second(64, 'b');
constexpr std::int64_t june_second = 1'748'822'400'000;  // 2025-06-02T00:00:00Z

specs::Inspection on_day(std::uint64_t number, const std::string& campaign, int day, const std::string& hostname = "node1") {
  auto one = inspection(number, campaign);
  one.host.hostname = hostname;
  one.device = one.host.fingerprint();
  one.finished = fmt::format("2025-06-{:02}T12:00:{:02}.000Z", day, number % 60);
  if (campaign == second) one.stack.components["python"] = fmt::format("3.{}", 12 + number % 4);
  specs::seal(one);
  return one;
}

// The first campaign on the first of June, the second on the third.
void fill(const fs::path& file, bool both) {
  Store store = Store::open(file);
  for (std::uint64_t n = 0; n < 40; ++n) store.ingest(on_day(n, first, 1));
  if (!both) return;
  for (std::uint64_t n = 0; n < 40; ++n) store.ingest(on_day(n, second, 3, n < 20 ? "node1" : "node2"));
}

std::vector<std::string> problems(const fs::path& file) { return Store::open(file, store::Mode::read_only).check(); }

}  // namespace

TEST_CASE("removal: a campaign leaves nothing behind") {
  const Directory directory;
  const auto file = directory / "both.db", alone = directory / "alone.db";
  fill(file, true);
  fill(alone, false);
  const Removal which{.campaigns = store::campaigns_called(file, "bbbbbb")};
  const auto before = dump(file);
  const auto found = store::removable(file, which);
  CHECK(dump(file) == before);
  REQUIRE(found.campaigns.size() == 1);
  CHECK(found.campaigns.front().whole);
  CHECK(found.inspections == 40);
  CHECK(found.of == 80);
  CHECK(found.failed == 5);
  CHECK(store::remove(file, which, Spool(file)).inspections == 40);
  CHECK(dump(file) == dump(alone));
  CHECK(problems(file).empty());
}

TEST_CASE("removal: of a host, and older than a day; sums and steps are those of what stays") {
  const Directory directory;
  const auto file = directory / "both.db";
  fill(file, true);
  CHECK(store::remove(file, {.host = "node2"}, Spool(file)).inspections == 20);
  CHECK(problems(file).empty());
  CHECK(Store::open(file).keys(second).size() == 20);
  const auto old = store::remove(file, {.before = june_second}, Spool(file));
  CHECK(old.inspections == 40);
  CHECK(old.campaigns.front().whole);
  CHECK(problems(file).empty());
  CHECK(Store::open(file).keys(first).empty());
  CHECK(Store::open(file).keys(second).size() == 20);
  CHECK(store::remove(file, {.before = june_second}, Spool(file)).campaigns.empty());
  CHECK_THAT(error_of([&] { (void)store::removable(file, {.host = "node3"}); }), Catch::Contains("it has those of: node1"));
}

TEST_CASE("removal: documents beside the store go, too, and do not come back") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  const Spool spool(file);
  {
    Store store = Store::open(file);
    Spool writing(file);
    const auto campaign = plan(3, 4);
    writing.write(campaign);
    store.ingest(campaign);
    for (std::uint64_t n = 0; n < 8; ++n) {
      writing.write(inspection(n, campaign.id));
      store.ingest(inspection(n, campaign.id));
    }
    writing.write(inspection(9, campaign.id));  // not taken in yet
    writing.write(on_day(1, second, 1));
  }
  const auto called = store::campaigns_called(file, plan(3, 4).project);
  REQUIRE(called.size() == 1);
  store::remove(file, {.campaigns = called}, spool);
  spool.remove_if_empty(called.front());
  CHECK_FALSE(fs::exists(spool.directory() / called.front().substr(0, 12)));
  Store store = Store::open(file);
  CHECK(spool.recover(store).size() == 1);  // the other campaign's
  CHECK(store.campaigns().size() == 1);
  CHECK(problems(file).empty());
}

TEST_CASE("removal: a campaign is called by its id, how it begins, or its project") {
  const Directory directory;
  const auto file = directory / "both.db";
  fill(file, true);
  CHECK(store::campaigns_called(file, first) == std::vector{first});
  CHECK(store::campaigns_called(file, first.substr(0, 6)) == std::vector{first});
  for (const auto* name : {"", "aaaaa", "ffff", "no project"})  // five digits may be somebody's word
    CHECK_THAT(error_of([&] { (void)store::campaigns_called(file, name); }), Catch::Contains("knows no campaign"));
}

}  // namespace removal_tests
