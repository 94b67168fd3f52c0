// What `inspect` says when a campaign ends: first, as `advise` would, what is now known to be fastest here; then what
// the campaign did.
#pragma once

#include "campaigns/device_campaigns.hpp"
#include "cli/commands.hpp"

namespace stackx::cli {

// On stdout; with --json one document.
void say_end(const campaigns::DeviceCampaign& campaign, const campaigns::DeviceRun& ended, const Globals& globals);

}  // namespace stackx::cli
