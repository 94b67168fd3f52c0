// A pass whose campaign runs on a cluster: submitted by one pass, collected by later ones (campaigns/cluster).
//
// The campaign is the pass's own, frozen from the project with the stacks that it compares, under the watch's id: its starts
// come into the store as those of any cluster campaign, and history.hpp finds them there. Nothing waits: a pass that finds it
// under way takes in what has come, submits what is missing, and ends; the one that finds all there tells what changed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "campaigns/cluster/head/asked_project.hpp"
#include "specs/project/cluster_campaign.hpp"
#include "store/store.hpp"
#include "watch/asked.hpp"
#include "workspace/context.hpp"

namespace stackx::watch {

// The project as a file of its own, for the target's hardware: catalogs by their paths, the workload alone, these stacks (the
// advised one first; none: to be looked at only). Throws Error(bad_input) for what no cluster can measure.
campaigns::cluster::AskedProject write_cluster_project(const WatchOptions& options, const Subject& subject, const std::vector<std::string>& catalogs,
                                                       const std::vector<specs::Stack>& stacks, const workspace::Context& context);

struct OnCluster {
  std::string campaign;  // id
  std::size_t done = 0, blocks = 0;
  bool is_finished = false;
  std::vector<std::string> remarks;
};

std::optional<specs::ClusterCampaign> cluster_under_way(const std::filesystem::path& database, const std::string& watch);
// Takes in what has come; `submit`: and submits what is missing, and marks the campaign once all is there.
OnCluster go_on_cluster(const specs::ClusterCampaign& campaign, bool submit, store::Store& store, const workspace::Context& context);
OnCluster begin_on_cluster(const campaigns::cluster::AskedProject& asked, const WatchOptions& options, const std::filesystem::path& database,
                           store::Store& store, const workspace::Context& context);

}  // namespace stackx::watch
