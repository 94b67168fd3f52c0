// Campaigns that were submitted from here: a copy of each campaign.json beside the store, `<database>-clusters/<12 digits>.json`,
// so that a campaign is found by its id, or by its project, also while the spool is away.
#pragma once

#include <string>
#include <vector>

#include "campaigns/cluster/place.hpp"

namespace stackx::campaigns::cluster {

void remember(const specs::ClusterCampaign& campaign, const fs::path& database);

std::vector<specs::ClusterCampaign> known_campaigns(const fs::path& database);  // newest first

// The campaign that `word` names: how its id begins, its directory on the spool (then it is remembered), a project's file (its
// newest campaign); "": the newest of all. Throws Error(bad_input) naming those there are.
specs::ClusterCampaign find_campaign(const std::string& word, const fs::path& database);

}  // namespace stackx::campaigns::cluster
