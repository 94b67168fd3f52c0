#include "specs/project/cluster_campaign.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/format/nearest.hpp"
#include "specs/format/seal.hpp"
#include "specs/random.hpp"

namespace stackx::specs {

const FrozenTarget& ClusterCampaign::target(const std::string& name) const {
  std::vector<std::string> names;
  for (const auto& one : targets) {
    if (one.target.name == name) return one;
    names.push_back(one.target.name);
  }
  throw bad_input(fmt::format("cluster campaign {} has no target \"{}\"{}", short_id(), name, suggestion(name, names)));
}

Json to_json(const ClusterCampaign& campaign) {
  ClusterSettings settings = campaign.settings;
  settings.targets.clear();
  for (const auto& one : campaign.targets) settings.targets.push_back(one.target);
  Json plans = Json::object();
  for (const auto& one : campaign.targets) plans[one.target.name] = to_json(one.plan);
  return {{"$schema", "stackx/cluster/1"}, {"id", campaign.id},       {"project", campaign.project},
          {"created", campaign.created},   {"settings", to_json(settings)}, {"stage", campaign.node_local ? "node" : "shared"},
          {"plans", std::move(plans)}};
}

ClusterCampaign cluster_campaign_from(const Node& node) {
  node.schema("stackx/cluster/1");
  node.only({"$schema", "id", "project", "created", "settings", "stage", "plans"});
  ClusterCampaign campaign;
  campaign.id = node.at("id").text();
  campaign.project = node.at("project").nonempty();
  campaign.created = node.at("created").nonempty();
  campaign.settings = cluster_settings_from(node.at("settings"));
  const auto stage = node.at("stage").text();
  if (stage != "shared" && stage != "node") node.at("stage").fail("expected \"shared\" or \"node\"");
  campaign.node_local = stage == "node";
  for (auto& target : campaign.settings.targets)
    campaign.targets.push_back({target, plan_from(node.at("plans").at(target.name))});
  verify_id(node, to_json(campaign));
  return campaign;
}

void seal(ClusterCampaign& campaign) { campaign.id = content_id(to_json(campaign)); }

Json to_json(const Wave& wave) {
  return {{"$schema", "stackx/wave/1"}, {"cluster", wave.cluster}, {"target", wave.target}, {"wave", wave.wave}, {"arms", wave.arms}};
}

Wave wave_from(const Node& node) {
  node.schema("stackx/wave/1");
  node.only({"$schema", "cluster", "target", "wave", "arms"});
  return {node.at("cluster").nonempty(), node.at("target").nonempty(), node.at("wave").unsigned_integer(), node.at("arms").texts()};
}

Plan plan_of_attempt(const ClusterCampaign& campaign, const FrozenTarget& target, const Wave& wave, const BlockOf& block,
                     std::uint64_t rounds, const std::string& created, const std::string& device) {
  Plan plan = target.plan;
  plan.project = campaign.project;
  plan.created = created;
  plan.device = device;
  plan.block = block;
  plan.seed = derive_seed(target.plan.seed, target.target.name + "/" + block.attempt, block.block);
  plan.campaign.rounds = rounds;
  plan.campaign.strategy = {};
  plan.campaign.budget_inspections.reset();
  std::erase_if(plan.arms, [&](const Arm& arm) { return std::ranges::find(wave.arms, arm.label) == wave.arms.end(); });
  if (plan.arms.size() != wave.arms.size())
    throw bad_input(fmt::format("cluster campaign {}: wave {} of {} names arms that its plan has not", campaign.short_id(), wave.wave,
                                target.target.name));
  seal(plan);
  return plan;
}

}  // namespace stackx::specs
