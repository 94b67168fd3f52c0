// Starts of blocks of a campaign on a cluster, among other campaigns.
#include <catch2/catch.hpp>

#include "tests/store/fixture.hpp"

using namespace stackx;
using namespace stackx::test;

namespace {

const std::string of_cluster(64, 'c');

specs::Plan start_of(const std::string& cluster, std::uint64_t block, const std::string& attempt, const std::string& created) {
  auto start = plan(3, 2);
  start.created = created;
  start.block = specs::BlockOf{cluster, "v100", block, attempt};
  specs::seal(start);
  return start;
}

}  // namespace

TEST_CASE("blocks: all starts of one campaign, the oldest first, with what there is of each") {
  const Directory directory;
  auto store = store::Store::open(directory / "stackx.db");
  CHECK(store.blocks(of_cluster).empty());
  const auto second = start_of(of_cluster, 0, "b", "2026-01-02T00:00:00.000Z"), first = start_of(of_cluster, 7, "\"a\" ü", "2026-01-01T00:00:00.000Z");
  store.ingest(second);
  store.ingest(first);
  store.ingest(start_of(std::string(64, 'd'), 1, "c", "2026-01-03T00:00:00.000Z"));
  store.ingest(plan(3, 2));
  for (const std::uint64_t number : {0, 1, 4}) {  // of arms 0 and 1, rounds 0 and 1
    auto one = inspection(number, second.id);
    store.ingest(one);
  }
  const auto rows = store.blocks(of_cluster);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].campaign == first.id);
  CHECK(rows[0].attempt == "\"a\" ü");
  CHECK(rows[0].block == 7);
  CHECK(rows[0].done == 0);
  CHECK(rows[1].campaign == second.id);
  CHECK(rows[1].target == "v100");
  CHECK(rows[1].block == 0);
  CHECK(rows[1].rounds == 3);
  CHECK(rows[1].planned == 6);
  CHECK(rows[1].done == 3);
  CHECK(rows[1].failed == 0);
  CHECK(rows[1].created == second.created);
}

TEST_CASE("blocks: what only looks like one is none") {
  const Directory directory;
  auto store = store::Store::open(directory / "stackx.db");
  auto named = plan(1, 2);
  named.project = "\"cluster\":\"" + of_cluster + "\"";
  specs::seal(named);
  store.ingest(named);
  auto component = plan(2, 2);
  component.arms[0].stack.components["cluster"] = of_cluster;
  component.arms[1].workload.params["cluster"] = of_cluster;
  specs::seal(component);
  store.ingest(component);
  auto begins = start_of(of_cluster + "0", 0, "a", "2026-01-01T00:00:00.000Z");
  store.ingest(begins);
  CHECK(store.blocks(of_cluster).empty());
  CHECK(store.blocks(of_cluster.substr(0, 12)).empty());
  CHECK(store.blocks("").empty());
  CHECK(store.blocks("%").empty());
}
