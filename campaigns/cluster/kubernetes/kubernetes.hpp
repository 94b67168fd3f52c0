// Kubernetes, by kubectl: one Indexed Job a submission, and a ConfigMap with what its blocks measure.
#pragma once

#include "campaigns/cluster/scheduler.hpp"

namespace stackx::campaigns::cluster {

std::unique_ptr<Scheduler> make_kubernetes(const Asked& asked);

}  // namespace stackx::campaigns::cluster
