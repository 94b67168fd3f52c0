// Whether a plan's rounds can end in a verdict, said before it starts.
#include <catch2/catch.hpp>

#include "campaigns/campaign.hpp"
#include "campaigns/verdict_forecast.hpp"

namespace verdict_forecast_tests {

using namespace stackx;
using Kind = specs::StrategySpec::Kind;

namespace {

specs::Plan plan_of(std::size_t stacks, specs::CampaignSpec campaign) {
  specs::Project project;
  project.name = "test";
  project.workloads = {{"matmul", {{"m", "8"}}}, {"matmul", {{"m", "16"}}}};
  project.campaign = campaign;
  std::vector<specs::Stack> all;
  for (std::size_t i = 0; i < stacks; ++i) all.push_back({{{"lib", std::to_string(i)}}});
  return campaigns::make_plan(project, all, "2026-01-01T00:00:00.000Z");
}

specs::CampaignSpec rounds(std::uint64_t count) {
  specs::CampaignSpec campaign;
  campaign.rounds = count;
  campaign.sentinels = 1;
  return campaign;
}

}  // namespace

TEST_CASE("forecast: stacks, rounds, and the fewest that can give a verdict") {
  CHECK(campaigns::verdict_line(plan_of(7, rounds(6))) ==
        "6 rounds cannot give a verdict on 7 stacks at 95%, whatever they measure; 8 can (--rounds 8)");
  CHECK(campaigns::verdict_line(plan_of(7, rounds(12))) ==
        "12 rounds can give a verdict on 7 stacks at 95% (8 are the fewest that can)");
  CHECK(campaigns::verdict_forecast(plan_of(2, rounds(6)))->possible());
  CHECK_FALSE(campaigns::verdict_forecast(plan_of(2, rounds(5)))->possible());
  CHECK(campaigns::verdict_line(plan_of(1, rounds(1))).empty());
}

TEST_CASE("forecast: a budget ends it sooner; a race is decided in its finals") {
  auto budget = rounds(12);
  budget.budget_inspections = 32;  // 16 arms: two workloads, 7 stacks and a sentinel of one of them
  const auto plan = plan_of(7, budget);
  CHECK(campaigns::verdict_forecast(plan)->rounds == (32 + plan.arms.size() - 1) / plan.arms.size());
  CHECK_THAT(campaigns::verdict_line(plan), Catch::Contains("--budget " + std::to_string(8 * plan.arms.size())));
  auto race = rounds(30);
  race.strategy.kind = Kind::race;
  CHECK(campaigns::verdict_line(plan_of(64, race)) ==
        "12 fresh rounds can give a verdict on 64 stacks at 95% (12 are the fewest that can)");
  auto learn = rounds(30);
  learn.strategy.kind = Kind::learn;
  CHECK_FALSE(campaigns::verdict_forecast(plan_of(64, learn)));
}

}  // namespace verdict_forecast_tests
