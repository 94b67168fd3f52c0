// A target of a campaign, as a scheduler is asked about it.
#pragma once

#include "campaigns/cluster/scheduler.hpp"

namespace stackx::slurm_tests {

struct Scene {
  specs::ClusterCampaign campaign;
  specs::FrozenTarget target;
  std::filesystem::path root = "/shared/stackx/3f2a09c1d2e4", program = "/opt/stackx/bin/stackx";

  explicit Scene(const specs::SlurmTarget& slurm = {}) {
    campaign.id = "3f2a09c1d2e4" + std::string(52, '0');
    campaign.created = "2026-11-25T16:39:33.123Z";
    campaign.settings.parallel = 16;
    target.target.name = "h100";
    target.target.on = slurm;
  }

  campaigns::cluster::Asked asked() const { return {campaign, target, root, root, program}; }
};

}  // namespace stackx::slurm_tests
