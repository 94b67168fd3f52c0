// A campaign on a cluster that was never run: frozen, with starts of its blocks as nodes would have left them.
#pragma once

#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "campaigns/campaign.hpp"
#include "campaigns/cluster/place.hpp"
#include "specs/format/json.hpp"
#include "specs/project/cluster_campaign.hpp"
#include "specs/result/inspection.hpp"
#include "tests/specs/samples.hpp"

namespace stackx::test {

namespace cluster = campaigns::cluster;

inline specs::Plan made_up_plan(std::size_t stacks, std::uint64_t rounds = 100, std::uint64_t sentinels = 0,
                                specs::StrategySpec strategy = {}) {
  specs::Project project;
  project.name = "made-up";
  project.workloads = {{"matmul", {{"m", "1"}}}};
  project.campaign.rounds = rounds;
  project.campaign.sentinels = sentinels;
  project.campaign.strategy = strategy;
  std::vector<specs::Stack> all;
  for (std::size_t i = 0; i < stacks; ++i) all.push_back({{{"lib", std::to_string(i)}}});
  return campaigns::make_plan(project, all, "2026-01-01T00:00:00.000Z");
}

inline specs::ClusterCampaign made_up_campaign(const std::filesystem::path& spool, const specs::Plan& plan,
                                               const std::vector<std::string>& targets = {"v100"}) {
  specs::ClusterCampaign campaign;
  campaign.project = "made-up";
  campaign.created = "2026-01-01T00:00:00.000Z";
  campaign.settings.spool = spool.string();
  campaign.settings.blocks = 3;
  campaign.settings.rounds_per_block = 2;
  for (const auto& name : targets) {
    specs::ClusterTarget target;
    target.name = target.model = name;
    campaign.targets.push_back({target, plan});
  }
  specs::seal(campaign);
  return campaign;
}

// Its directories, as submit leaves them.
inline std::filesystem::path put_on_spool(const specs::ClusterCampaign& campaign) {
  const auto root = cluster::root_of(campaign);
  std::filesystem::create_directories(root);
  for (const auto& target : campaign.targets) std::filesystem::create_directories(root / target.target.name);
  cluster::write_document(root / "campaign.json", specs::to_json(campaign));
  return root;
}

struct Start {
  specs::Plan plan;
  std::vector<specs::Inspection> inspections;  // of all its rounds, in the order they ran
};

using Rates = std::function<double(std::size_t arm, std::uint64_t round)>;  // 0: it crashed

inline Start made_up_start(const specs::ClusterCampaign& campaign, const std::string& target, std::uint64_t block,
                           const std::string& attempt, std::uint64_t rounds, const Rates& rate = [](auto, auto) { return 1.0; },
                           std::vector<std::string> arms = {}) {
  const auto& frozen = campaign.target(target);
  if (arms.empty())
    for (const auto& arm : frozen.plan.arms) arms.push_back(arm.label);
  Start start{specs::plan_of_attempt(campaign, frozen, {campaign.id, target, 0, arms}, {campaign.id, target, block, attempt}, rounds,
                                     "2026-01-02T00:00:00.000Z", ""),
              {}};
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const auto order = start.plan.order(round);
    for (std::size_t position = 0; position < order.size(); ++position) {
      const auto& arm = start.plan.arms[order[position]];
      auto one = tests::sample_inspection();
      one.campaign = start.plan.id;
      one.round = round;
      one.position = position;
      one.arm = arm.label;
      one.sentinel = arm.sentinel;
      one.stack = arm.stack;
      one.loaded = arm.stack.components;
      one.workload = arm.workload;
      const double found = rate(order[position], round);
      one.samples_ns = {static_cast<std::int64_t>(1e9 / (found > 0 ? found : 1))};
      if (found <= 0) {
        one.outcome = specs::Outcome::crashed;
        one.reason = "made up";
        one.samples_ns.clear();
        one.check.reset();
      }
      specs::seal(one);
      start.inspections.push_back(std::move(one));
    }
  }
  return start;
}

template <typename Document>
std::string text_of_document(const Document& document) {
  return specs::canonical(specs::to_json(document)) + "\n";
}

// (name, text) of everything that a start leaves: its plan first.
inline std::vector<std::pair<std::string, std::string>> files_of(const Start& start) {
  std::vector<std::pair<std::string, std::string>> files{{"plan.json", text_of_document(start.plan)}};
  for (const auto& one : start.inspections) files.emplace_back(one.id + ".json", text_of_document(one));
  return files;
}

inline std::filesystem::path directory_of(const std::filesystem::path& root, const specs::Plan& plan) {
  return cluster::block_directory(root, plan.block->target, plan.block->block) / plan.block->attempt;
}

inline void leave_file(const std::filesystem::path& root, const specs::Plan& plan, const std::pair<std::string, std::string>& file) {
  std::filesystem::create_directories(directory_of(root, plan));
  std::ofstream(directory_of(root, plan) / file.first, std::ios::binary) << file.second;
}

inline void leave(const std::filesystem::path& root, const Start& start) {
  for (const auto& file : files_of(start)) leave_file(root, start.plan, file);
}

}  // namespace stackx::test
