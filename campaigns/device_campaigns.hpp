// Campaigns of one project, one for each GPU that was asked for, run side by side: a card is a block,
// compared with nothing but itself, and cards do not disturb each other. Each has its own plan
// (cards of one host may be different models), store connection, and share of the CPUs. Without
// GPUs there is one campaign.
#pragma once

#include <string>
#include <vector>

#include "campaigns/job.hpp"
#include "campaigns/plan_lock.hpp"
#include "campaigns/run.hpp"
#include "specs/project/plan.hpp"

namespace stackx::campaigns {

struct DeviceCampaign {
  Job job;
  specs::Plan plan;
  PlanLock lock;  // from before the first campaign runs until the last has ended
};

struct DeviceRun {
  CampaignRun run;
  std::vector<std::string> notes;  // what the campaign says of itself
};

// The UUIDs that --device asks for; one empty text where it does not. Throws Error(bad_input).
std::vector<std::string> asked_devices(const std::vector<std::string>& words,
                                       const workspace::Context& context);

// The GPU that a plan of these is for; "" where neither they nor the project's workloads use one.
std::string device_for(const std::vector<specs::Stack>& stacks, const workspace::Loaded& loaded);

// The first error that a campaign ends with is thrown once all have ended.
std::vector<DeviceRun> run_side_by_side(const std::vector<DeviceCampaign>& campaigns,
                                        bool offline, const std::filesystem::path& database,
                                        const workspace::Context& context);

}  // namespace stackx::campaigns
