// What `kubectl get jobs.batch,pods -o json` says of a target's Jobs, as a queue. Pure: no clock, no cluster.
//
// A block lives while its Job may still start it: unless the Job is finished, or has done or given up its index. Finished is a
// Job that will start nothing more: Complete, Failed, FailureTarget, and SuccessCriteriaMet, at which a Job stays for ever
// while a dead pod of a lost node is Terminating. A pod whose Job is gone lives until it is being deleted. Pods that are
// Terminating never keep a block alive: those of a lost node stay so until somebody removes the node.
#pragma once

#include <string>
#include <string_view>

#include "campaigns/cluster/scheduler.hpp"
#include "specs/format/json.hpp"

namespace stackx::campaigns::cluster {

// `kubectl`: as a person begins to type it, for advice. `now`: RFC 3339, UTC. Throws Error(bad_input) where it is not known
// which blocks live.
Queue queue_of(const specs::Node& list, const std::string& kubectl, std::string_view now);

}  // namespace stackx::campaigns::cluster
