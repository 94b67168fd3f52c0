// Kubernetes, by kubectl: one Indexed Job a submission (manifest.hpp), found again by its labels (state.hpp).
//
// Objects are created, never applied: a submission that is made again after a crash finds its Job there and changes nothing,
// whatever stackx, settings or finished blocks would make of it now. Rejected: `apply`, which would change what runs or fail
// on immutable fields, and copies ConfigMaps into an annotation that takes only 256 KiB.
#pragma once

#include "campaigns/cluster/scheduler.hpp"

namespace stackx::campaigns::cluster {

std::unique_ptr<Scheduler> make_kubernetes(const Asked& asked);

}  // namespace stackx::campaigns::cluster
