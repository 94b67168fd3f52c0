// How far a campaign on a cluster is, for people and as JSON (stackx/cluster-status/1).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "campaigns/cluster/head/pass.hpp"

namespace stackx::cli {

// "[412/640]  5 of 8 blocks done, 3 running, 0 waiting": one line over all targets.
std::string cluster_progress(const specs::ClusterCampaign& campaign, const campaigns::cluster::View& view);

// The answer first: how far; then a table, what is wrong and what to do, and what to call next. Lines end.
std::string cluster_text(const specs::ClusterCampaign& campaign, const campaigns::cluster::View& view, std::size_t width);

nlohmann::json cluster_json(const specs::ClusterCampaign& campaign, const campaigns::cluster::View& view);

}  // namespace stackx::cli
