#include "specs/project/plan.hpp"

#include <numeric>
#include <set>

#include "specs/format/json.hpp"
#include "specs/format/seal.hpp"
#include "specs/random.hpp"

namespace stackx::specs {
namespace {

Json to_json(const Arm& arm) {
  return {{"label", arm.label},
          {"stack", arm.stack.components},
          {"workload", to_json(arm.workload)},
          {"sentinel", arm.sentinel}};
}

Arm arm_from(const Node& node) {
  node.only({"label", "stack", "workload", "sentinel"});
  Arm arm;
  arm.label = node.at("label").nonempty();
  for (const auto& [name, version] : node.at("stack").members())
    arm.stack.components[name] = version.nonempty();
  arm.workload = workload_from(node.at("workload"));
  arm.sentinel = node.at("sentinel").boolean();
  return arm;
}

BlockOf block_from(const Node& node) {
  node.only({"cluster", "target", "block", "attempt"});
  return {node.at("cluster").nonempty(), node.at("target").nonempty(), node.at("block").unsigned_integer(),
          node.at("attempt").nonempty()};
}

Json to_json(const BlockOf& block) {
  return {{"cluster", block.cluster}, {"target", block.target}, {"block", block.block}, {"attempt", block.attempt}};
}

}  // namespace

std::vector<std::size_t> Plan::order(std::uint64_t round) const {
  std::vector<std::size_t> result(arms.size());
  std::iota(result.begin(), result.end(), 0);
  Random random(derive_seed(seed, "round", round));
  random.shuffle(result);
  return result;
}

Json to_json(const Plan& plan) {
  Json arms = Json::array();
  for (const auto& arm : plan.arms) arms.push_back(to_json(arm));
  Json json = {{"$schema", "stackx/plan/1"},        {"id", plan.id},     {"project", plan.project},
               {"created", plan.created},           {"seed", plan.seed}, {"arms", std::move(arms)},
               {"campaign", to_json(plan.campaign)}};
  if (!plan.device.empty()) json["device"] = plan.device;
  if (plan.program) json["program"] = to_json(*plan.program);
  if (plan.block) json["block"] = to_json(*plan.block);
  return json;
}

Plan plan_from(const Node& node) {
  node.schema("stackx/plan/1");
  node.only({"$schema", "id", "project", "created", "seed", "device", "program", "block", "arms", "campaign"});
  Plan plan;
  plan.id = node.at("id").text();
  plan.project = node.at("project").text();
  plan.created = node.at("created").text();
  plan.seed = node.at("seed").unsigned_integer();
  if (const auto device = node.find("device")) plan.device = device->nonempty();
  if (const auto program = node.find("program")) plan.program = program_from(*program);
  if (const auto block = node.find("block")) plan.block = block_from(*block);
  plan.campaign = campaign_from(node.at("campaign"));
  std::set<std::string> labels;
  for (const auto& item : node.at("arms").items()) {
    plan.arms.push_back(arm_from(item));
    if (plan.program) plan.arms.back().workload.program = plan.program->identity();
    if (!labels.insert(plan.arms.back().label).second)
      item.at("label").fail("another arm has this label; labels are unique in a plan");
  }
  verify_id(node, to_json(plan));
  return plan;
}

void seal(Plan& plan) { plan.id = content_id(to_json(plan)); }

}  // namespace stackx::specs
