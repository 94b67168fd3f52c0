// A campaign on a cluster as it was submitted (format stackx/cluster/1): what is measured where, frozen. Head and nodes read
// it from the spool, whose layout is campaigns/cluster/place.hpp's; nobody changes it.
//
// A target's plan is what every one of its blocks measures: the stacks, drawn once, in arms. A start of a block makes its own
// plan of it: its own order, the rounds that its block lacks, and of a wave that not all arms run in, those that do.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "specs/project/cluster.hpp"
#include "specs/project/plan.hpp"

namespace stackx::specs {

struct FrozenTarget {
  ClusterTarget target;
  Plan plan;  // sealed; `rounds` are the project's, its strategy decides between waves
};

struct ClusterCampaign {
  std::string id;  // SHA-256 of the canonical JSON without `id`
  std::string project, created;
  ClusterSettings settings;  // its targets stand in `targets`
  bool node_local = false;   // environments: made once for all nodes, on the spool, or copied to each
  std::vector<FrozenTarget> targets;

  const FrozenTarget& target(const std::string& name) const;  // throws Error(bad_input) naming those there are
  std::string short_id() const { return id.substr(0, 12); }
};

nlohmann::json to_json(const ClusterCampaign& campaign);
ClusterCampaign cluster_campaign_from(const Node& node);  // verifies the id
void seal(ClusterCampaign& campaign);

// Which arms run in the blocks of one wave of a target (format stackx/wave/1): decided once, from all that was measured
// before, and then as it is, whatever comes late.
struct Wave {
  std::string cluster, target;
  std::uint64_t wave = 0;
  std::vector<std::string> arms;  // labels
};

nlohmann::json to_json(const Wave& wave);
Wave wave_from(const Node& node);

// The plan of one start of a block: `rounds` of the wave's arms, in an order of its own.
Plan plan_of_attempt(const ClusterCampaign& campaign, const FrozenTarget& target, const Wave& wave, const BlockOf& block,
                     std::uint64_t rounds, const std::string& created, const std::string& device);

}  // namespace stackx::specs
