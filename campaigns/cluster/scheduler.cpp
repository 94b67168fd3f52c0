#include "campaigns/cluster/scheduler.hpp"

#include <fmt/format.h>

#include "campaigns/cluster/kubernetes/kubernetes.hpp"
#include "campaigns/cluster/slurm/slurm.hpp"

namespace stackx::campaigns::cluster {

std::unique_ptr<Scheduler> make_scheduler(const Asked& asked) {
  if (asked.target.target.is_slurm()) return make_slurm(asked);
  return make_kubernetes(asked);
}

std::string job_prefix(const Asked& asked) {
  return fmt::format("stackx-{}-{}-", asked.campaign.short_id(), asked.target.target.name);
}

}  // namespace stackx::campaigns::cluster
