// What a person asks of a campaign on a cluster besides a pass over it (pass.hpp).
#pragma once

#include <string>
#include <vector>

#include "campaigns/cluster/head/freeze.hpp"
#include "campaigns/cluster/place.hpp"

namespace stackx::campaigns::cluster {

fs::path program_of(const workspace::Context& context);  // stackx, as it runs here

// What was submitted, not cancelled and not finished.
bool is_under_way(const specs::ClusterCampaign& campaign);

// Fetches for every target (node/stage.hpp).
struct StagedAll {
  std::vector<std::string> said;  // what people should know of it, a line each
  std::size_t failed = 0;         // stacks that could not be made
};
StagedAll stage_all(const specs::ClusterCampaign& campaign, const workspace::Context& context);

// The jobs, and once they are ended the mark, after which no head submits. Throws Error(environment); then nothing is marked.
void cancel(const specs::ClusterCampaign& campaign, const workspace::Context& context);

struct Script {
  std::string target, name, text;
};
// What would be submitted first. Leaves nothing behind.
std::vector<Script> scripts(const FreezeOptions& options, const workspace::Context& context);

// Once all is there: marks it, and runs the settings' `after`, once, with $STACKX_CAMPAIGN, $STACKX_SPOOL and $STACKX_DB.
std::vector<std::string> run_after(const specs::ClusterCampaign& campaign, const workspace::Context& context);

// As --hw of `advise` names what a target measured on.
std::string hardware_name(const specs::FrozenTarget& target);

}  // namespace stackx::campaigns::cluster
