// What was told is in the store, and is told once; campaigns of passes are found there, whoever measured them.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "tests/store/fixture.hpp"
#include "watch/advised.hpp"
#include "watch/told.hpp"

using namespace stackx;
using namespace stackx::watch;

namespace {

specs::Stack victim(const std::string& version) { return {{{"victim", version}}}; }

const Subject subject{"p", {"bench", {}}, std::nullopt, ""};

struct Kept {
  test::Directory place;
  store::Store store = store::Store::open(place / "store.db");
  store::Spool spool{place / "store.db"};

  void keep(const Told& told, const std::string& created) { told.keep(store, spool, subject.workload, created); }

  // `rates`: of each stack, in every round. `block`: a start of a block on a cluster.
  std::string measured(const std::map<std::string, double>& rates, std::uint64_t rounds, const std::string& created, std::optional<specs::BlockOf> block = {},
                       const std::string& project = subject.id()) {
    specs::Plan plan;
    plan.project = project;
    plan.created = created;
    plan.block = std::move(block);
    for (const auto& [version, rate] : rates) plan.arms.push_back({victim(version).short_id(), victim(version), subject.workload, false});
    plan.campaign.rounds = rounds;
    specs::seal(plan);
    store.ingest(plan);
    for (std::uint64_t round = 0; round < rounds; ++round)
      for (const auto& [version, rate] : rates) {
        specs::Inspection one;
        one.campaign = plan.id;
        one.round = round;
        one.arm = victim(version).short_id();
        one.stack = victim(version);
        one.workload = subject.workload;
        one.host = test::host();
        one.device = one.host.fingerprint();
        one.samples_ns = {static_cast<std::int64_t>(1e6 / rate) + static_cast<std::int64_t>(round)};
        one.work.items = 1;
        one.finished = created;
        specs::seal(one);
        store.ingest(one);
      }
    return plan.id;
  }

  History history(const std::function<bool(const std::string&)>& gave_up = {}) {
    return History(store, subject, {"zen4", false, test::host().fingerprint()}, {}, false, gave_up);
  }
};

}  // namespace

TEST_CASE("watch told: what was kept is known to the next pass, and written once") {
  Kept kept;
  Told first(kept.store, subject.id());
  CHECK_FALSE(first.advice());
  first.add_campaign(std::string(64, 'a'), victim("1.0"));
  first.add_verdict(std::string(64, 'b'), victim("2.0"));
  first.add_invalid(victim("0.1"));
  first.add_advice(victim("1.0"));
  CHECK_FALSE(first.campaign(std::string(64, 'a')));  // nobody was told yet
  kept.keep(first, "2026-11-27T00:00:01.000Z");
  Told second(kept.store, subject.id());
  CHECK(second.campaign(std::string(64, 'a')));
  CHECK_FALSE(second.campaign(std::string(64, 'b')));
  CHECK(second.verdict(std::string(64, 'b'), victim("2.0")));
  CHECK_FALSE(second.verdict(std::string(64, 'b'), victim("1.0")));
  CHECK(second.invalid(victim("0.1")));
  CHECK(second.advice() == victim("1.0"));
  const auto before = kept.store.campaigns().size();
  second.add_advice(victim("1.0"));
  second.add_invalid(victim("0.1"));
  kept.keep(second, "2026-11-27T00:00:02.000Z");
  CHECK(kept.store.campaigns().size() == before);
  CHECK_FALSE(Told(kept.store, "watch-of-another").advice());
}

TEST_CASE("watch told: the last advice counts, also where it is one of before") {
  Kept kept;
  int second = 0;
  for (const auto* version : {"1.0", "2.0", "1.0"}) {
    Told told(kept.store, subject.id());
    told.add_advice(victim(version));
    kept.keep(told, fmt::format("2026-11-27T00:00:0{}.000Z", ++second));
  }
  CHECK(Told(kept.store, subject.id()).advice() == victim("1.0"));
}

TEST_CASE("watch told: a campaign that was given up measured nothing") {
  Kept kept;
  const auto id = kept.measured({{"1.0", 1}, {"2.0", 2}}, 3, "2026-11-27T00:00:01.000Z");
  CHECK(kept.history().versions().at("victim").size() == 2);
  Told told(kept.store, subject.id());
  told.add_given_up(id, victim("1.0"));
  CHECK(told.gave_up(id));  // from then on
  kept.keep(told, "2026-11-27T00:00:02.000Z");
  const Told next(kept.store, subject.id());
  CHECK((next.gave_up(id) && next.campaign(id)));
  CHECK(kept.history([&](const auto& campaign) { return next.gave_up(campaign); }).versions().empty());
}

TEST_CASE("watch history: a pass's campaign, its verdict, and what another campaign shows since") {
  Kept kept;
  kept.measured({{"1.0", 1}, {"2.0", 2}}, 7, "2026-11-27T00:00:01.000Z");
  const auto history = kept.history();
  REQUIRE(history.last());
  CHECK(history.last()->progress.is_complete);
  CHECK(history.last()->progress.rounds == 7);
  CHECK(held_by(*history.last()) == victim("2.0"));
  CHECK(history.later().empty());
  kept.measured({{"2.0", 1}, {"3.0", 2}}, 8, "2026-11-27T00:00:02.000Z", {}, "p");  // stackx inspect
  CHECK(kept.history().later().size() == 1);
  CHECK(kept.history().versions().at("victim").contains("3.0"));
}

TEST_CASE("watch history: starts of blocks on a cluster are one campaign, judged by all of its rounds") {
  Kept kept;
  const std::string cluster(64, 'c');
  kept.measured({{"1.0", 1}, {"2.0", 2}}, 4, "2026-11-27T00:00:01.000Z", specs::BlockOf{cluster, "all", 0, "x"});
  kept.measured({{"1.0", 1}, {"2.0", 2}}, 3, "2026-11-27T00:00:02.000Z", specs::BlockOf{cluster, "all", 1, "y"});
  const auto history = kept.history();
  REQUIRE(history.last());
  CHECK(history.last()->id() == cluster);
  CHECK(history.last()->ids.size() == 2);
  CHECK(history.last()->progress.rounds == 7);
  CHECK(history.last()->settled().newcomers[0].comparison.pairs == 7);
  CHECK(held_by(*history.last()) == victim("2.0"));
}
