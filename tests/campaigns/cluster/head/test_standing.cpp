// What the store says of a campaign, counted apart from what was put into it.
#include <catch2/catch.hpp>

#include "campaigns/cluster/head/standing.hpp"
#include "campaigns/cluster/rounds.hpp"
#include "specs/format/seal.hpp"
#include "specs/random.hpp"
#include "tests/campaigns/cluster/made_up.hpp"
#include "tests/specs/place.hpp"

using namespace stackx;
using namespace stackx::campaigns::cluster;
using namespace stackx::test;

namespace {

struct Told {
  explicit Told(const std::vector<std::string>& targets = {"v100"})
      : place("standing"), campaign(made_up_campaign(place.path(), made_up_plan(3), targets)), store(store::Store::open(place / "s.db")) {}

  // The first `inspections` of a start.
  Start tell(std::uint64_t block, const std::string& attempt, std::uint64_t rounds, std::size_t inspections,
             const std::string& target = "v100", const Rates& rate = [](auto, auto) { return 1.0; }) {
    auto start = made_up_start(campaign, target, block, attempt, rounds, rate);
    start.inspections.resize(std::min(inspections, start.inspections.size()));
    store.ingest(start.plan);
    for (const auto& one : start.inspections) store.ingest(one);
    return start;
  }
  Standing of(const std::string& target = "v100") const { return standing(campaign, store).at(target); }

  tests::Place place;
  specs::ClusterCampaign campaign;
  store::Store store;
};

}  // namespace

TEST_CASE("standing: a block is done by parts of several starts, and incomplete rounds do not count") {
  Told told;
  CHECK(told.of().blocks.empty());
  told.tell(0, "first", 2, 5);  // three arms: one round, and two of the next
  CHECK(told.of().blocks.at(0).rounds == 1);
  CHECK(told.of().inspections == 5);
  CHECK_FALSE(told.of().is_done(0, 2));
  told.tell(0, "none", 1, 0);
  CHECK(told.of().blocks.at(0).starts == 2);
  told.tell(0, "second", 1, 3);
  CHECK(told.of().is_done(0, 2));
  CHECK_FALSE(told.of().is_done(1, 2));
  CHECK(told.of().rounds == 2);
}

TEST_CASE("standing: what a zombie measured beside it counts, and does no other block any good") {
  Told told({"v100", "h100"});
  told.tell(0, "1-n1", 2, 6);
  told.tell(0, "1-n2", 2, 6);
  CHECK(told.of().blocks.at(0).rounds == 4);
  CHECK(told.of().is_done(0, 2));
  CHECK_FALSE(told.of().is_done(1, 2));
  CHECK(told.of("h100").blocks.empty());
  CHECK(joined_blocks(told.campaign, "v100", told.store).blocks == 2);
  CHECK(joined_blocks(told.campaign, "h100", told.store).blocks == 0);
}

TEST_CASE("standing: crashes are results; an environment that cannot be made leaves the rounds whole without it") {
  Told told;
  told.tell(0, "a", 2, 6, "v100", [](std::size_t arm, auto) { return arm == 1 ? 0.0 : 1.0; });
  CHECK(told.of().is_done(0, 2));
  CHECK(told.of().failed == 2);
  auto start = made_up_start(told.campaign, "v100", 1, "b", 2);
  told.store.ingest(start.plan);
  const auto label = start.plan.arms[0].label;
  for (auto& one : start.inspections) {
    if (one.arm == label && one.round > 0) continue;
    if (one.arm == label) {
      one.outcome = specs::Outcome::build_failed;
      one.reason = "made up";
      one.samples_ns.clear();
      one.check.reset();
      specs::seal(one);
    }
    told.store.ingest(one);
  }
  CHECK(told.of().blocks.at(1).rounds == 2);
}

TEST_CASE("standing: another campaign's starts, and campaigns that are none of a cluster, are not its") {
  Told told;
  auto other = made_up_campaign(told.place.path(), made_up_plan(2));
  CHECK(other.id != told.campaign.id);
  told.store.ingest(made_up_start(other, "v100", 0, "a", 2).plan);
  told.store.ingest(made_up_plan(3));
  CHECK(told.of().blocks.empty());
  CHECK(told.store.blocks(other.id).size() == 1);
  CHECK(told.store.blocks(other.id.substr(0, 12)).empty());
  CHECK(told.store.blocks("").empty());
  CHECK(told.store.campaigns().size() == 2);
}

TEST_CASE("Store::blocks: what was put in, the oldest first") {
  Told told({"v100", "h100"});
  const auto start = told.tell(2, "12_3.0-n2-4f0a91c2", 2, 4, "h100", [](std::size_t arm, auto) { return arm == 0 ? 0.0 : 1.0; });
  const auto rows = told.store.blocks(told.campaign.id);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].campaign == start.plan.id);
  CHECK(rows[0].target == "h100");
  CHECK(rows[0].block == 2);
  CHECK(rows[0].attempt == "12_3.0-n2-4f0a91c2");
  CHECK(rows[0].rounds == 2);
  CHECK(rows[0].planned == 6);
  CHECK(rows[0].done == 4);
  CHECK(rows[0].failed >= 1);
}

TEST_CASE("standing: as counted by hand, whatever was told in whatever order") {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Told told({"v100", "h100"});
    specs::Random random(seed);
    std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> rounds;
    std::map<std::string, std::uint64_t> inspections, units;
    for (int i = 0; i < 6; ++i) {
      const std::string target = random.below(2) ? "v100" : "h100";
      const auto block = random.below(3), wanted = 1 + random.below(3);
      const auto some = random.below(3 * wanted + 1);
      auto start = told.tell(block, "s" + std::to_string(i), wanted, some, target);
      std::map<std::uint64_t, std::size_t> arms;
      for (const auto& one : start.inspections) ++arms[one.round];
      for (const auto& [round, count] : arms) rounds[{target, block}] += count == 3;
      inspections[target] += some;
      units[target] += std::ranges::any_of(arms, [](const auto& round) { return round.second == 3; });
    }
    for (const std::string target : {"v100", "h100"}) {
      const auto found = told.of(target);
      std::uint64_t all = 0;
      for (std::uint64_t block = 0; block < 3; ++block) {
        const auto expected = rounds[{target, block}];
        all += expected;
        CHECK((found.blocks.contains(block) ? found.blocks.at(block).rounds : 0) == expected);
      }
      CHECK(found.rounds == all);
      CHECK(found.inspections == inspections[target]);
      const auto joined = joined_blocks(told.campaign, target, told.store);
      CHECK(joined.blocks == units[target]);
      std::set<std::pair<std::uint64_t, std::string>> cells;
      for (const auto& one : joined.inspections) cells.insert({one.round, one.arm});
      CHECK(cells.size() == 3 * joined.blocks);  // every arm in every block, once
      CHECK(joined.inspections.size() == 3 * joined.blocks);
    }
  }
}

TEST_CASE("standing: a start is one block of the joined, with each arm's mean over complete rounds alone") {
  Told told;
  const auto late = told.tell(1, "b", 3, 8, "v100", [](std::size_t arm, std::uint64_t round) {  // two complete rounds, one not
    return (1.0 + static_cast<double>(arm)) * (round == 0 ? 2.0 : round == 1 ? 8.0 : 1000.0);
  });
  const auto early = told.tell(0, "a", 1, 3, "v100", [](std::size_t arm, auto) { return 1.0 + static_cast<double>(arm); });
  told.tell(0, "none complete", 1, 2);
  const auto joined = joined_blocks(told.campaign, "v100", told.store);
  REQUIRE(joined.blocks == 2);
  REQUIRE(joined.inspections.size() == 6);
  for (const auto& one : joined.inspections) {
    const auto arm = std::ranges::find(late.plan.arms, one.arm, &specs::Arm::label) - late.plan.arms.begin();
    const double expected = (1.0 + static_cast<double>(arm)) * (one.round == 0 ? 1.0 : 4.0);  // sqrt(2 x 8)
    CHECK(one.outcome == specs::Outcome::ok);
    REQUIRE(one.samples_ns.size() == 1);
    const double work_of_1s = early.inspections[0].work.flop;
    CHECK(one.work.flop * 1e9 / static_cast<double>(one.samples_ns[0]) == Approx(expected * work_of_1s).epsilon(1e-7));
  }
}

TEST_CASE("standing: an arm has failed in a block in which it never succeeded, and else its mean is of where it did") {
  Told told;
  told.tell(0, "a", 3, 9, "v100", [](std::size_t arm, std::uint64_t round) {
    return arm == 0 || (arm == 1 && round != 1) ? 0.0 : 2.0;
  });
  const auto joined = joined_blocks(told.campaign, "v100", told.store);
  REQUIRE(joined.inspections.size() == 3);
  std::map<std::string, specs::Inspection> of;
  for (const auto& one : joined.inspections) of[one.arm] = one;
  const auto& arms = told.campaign.targets[0].plan.arms;
  CHECK(of[arms[0].label].outcome == specs::Outcome::crashed);
  CHECK(of[arms[1].label].outcome == specs::Outcome::ok);
  CHECK(of[arms[1].label].work.flop == Approx(of[arms[2].label].work.flop));
}
