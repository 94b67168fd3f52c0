#include <catch2/catch.hpp>
#include <set>

#include "specs/format/json.hpp"
#include "specs/format/seal.hpp"
#include "specs/project/cluster_campaign.hpp"
#include "tests/specs/message_of.hpp"
#include "tests/specs/samples.hpp"

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;

namespace {

ClusterCampaign frozen(std::size_t targets = 2) {
  ClusterCampaign campaign;
  campaign.project = "p";
  campaign.created = "2026-11-25T10:00:00.000Z";
  campaign.settings.spool = "/shared";
  for (std::size_t i = 0; i < targets; ++i) {
    ClusterTarget target;
    target.name = "t" + std::to_string(i);
    target.model = "v100";
    campaign.targets.push_back({target, sample_plan()});
  }
  seal(campaign);
  return campaign;
}

ClusterCampaign again(const Json& json) { return cluster_campaign_from(Node::parse_text(canonical(json), "campaign.json")); }

Wave wave_of(const ClusterCampaign& campaign, const std::string& target, std::vector<std::string> arms) {
  return {campaign.id, target, 0, std::move(arms)};
}

std::vector<std::string> labels(const Plan& plan) {
  std::vector<std::string> all;
  for (const auto& arm : plan.arms) all.push_back(arm.label);
  return all;
}

Plan attempt_of(const ClusterCampaign& campaign, const std::string& target, std::uint64_t block, const std::string& attempt) {
  const auto& one = campaign.target(target);
  return plan_of_attempt(campaign, one, wave_of(campaign, target, labels(one.plan)), {campaign.id, target, block, attempt}, 4,
                         "2026-11-25T11:00:00.000Z", "GPU-1");
}

}  // namespace

TEST_CASE("cluster campaign: the same after writing and reading; whatever is changed is found out") {
  const auto campaign = frozen();
  CHECK(to_json(again(to_json(campaign))) == to_json(campaign));
  CHECK(again(to_json(campaign)).target("t1").plan.id == sample_plan().id);
  auto json = to_json(campaign);
  json["settings"]["blocks"] = 3;
  CHECK_THAT(message_of([&] { again(json); }), Contains("the document was changed"));
  json = to_json(campaign);
  json["plans"]["t0"]["seed"] = 43;
  CHECK_THAT(message_of([&] { again(json); }), Contains("the document was changed"));
}

TEST_CASE("cluster campaign: a target that it has not is answered with those it has") {
  CHECK_THAT(message_of([] { frozen().target("t11"); }), Contains("no target \"t11\"; did you mean \"t1\"?"));
}

TEST_CASE("a start's plan is sealed, says whose it is and runs the wave's arms alone, in an order of its own") {
  const auto campaign = frozen();
  std::set<std::string> ids;
  std::set<std::uint64_t> seeds;
  for (const char* target : {"t0", "t1"})
    for (std::uint64_t block = 0; block < 10; ++block)
      for (const char* attempt : {"1-n1-00000001", "1-n1-00000002", "2-n2-00000001"}) {
        const auto plan = attempt_of(campaign, target, block, attempt);
        ids.insert(plan.id);
        seeds.insert(plan.seed);
        CHECK(plan_from(Node::parse_text(canonical(to_json(plan)), "plan.json")).id == plan.id);
        CHECK(plan.block == BlockOf{campaign.id, target, block, attempt});
        CHECK(labels(plan) == labels(sample_plan()));
        CHECK(plan.campaign.rounds == 4);
        CHECK(plan.campaign.strategy.kind == StrategySpec::Kind::fixed);
        CHECK(plan.device == "GPU-1");
      }
  CHECK(ids.size() == 60);
  CHECK(seeds.size() == 60);
  CHECK_FALSE(seeds.contains(sample_plan().seed));  // which drew the stacks

  const auto& target = campaign.target("t0");
  const auto some = plan_of_attempt(campaign, target, wave_of(campaign, "t0", {target.plan.arms[2].label, target.plan.arms[1].label}),
                                    {campaign.id, "t0", 0, "a"}, 2, "2026-11-25T11:00:00.000Z", "");
  CHECK(labels(some) == std::vector<std::string>{target.plan.arms[1].label, target.plan.arms[2].label});
}

TEST_CASE("a start's plan has no budget of inspections, which was the whole campaign's") {
  auto campaign = frozen(1);
  campaign.targets[0].plan.campaign.budget_inspections = 1;
  CHECK_FALSE(attempt_of(campaign, "t0", 0, "a").campaign.budget_inspections);
}

TEST_CASE("a wave of arms that the plan has not, or twice, is refused") {
  const auto campaign = frozen(1);
  const auto& target = campaign.target("t0");
  for (const std::vector<std::string>& arms :
       {std::vector<std::string>{"nobody"}, {target.plan.arms[0].label, "nobody"}, {target.plan.arms[0].label, target.plan.arms[0].label}})
    CHECK_THAT(message_of([&] {
                 plan_of_attempt(campaign, target, wave_of(campaign, "t0", arms), {campaign.id, "t0", 0, "a"}, 1, "2026", "");
               }),
               Contains("names arms that its plan has not"));
}

TEST_CASE("a wave is the same after writing and reading") {
  const Wave wave{std::string(64, 'c'), "t0", 3, {"b", "a+A"}};
  CHECK(to_json(wave_from(Node::parse_text(canonical(to_json(wave)), "wave.json"))) == to_json(wave));
}
