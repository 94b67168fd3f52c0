// The one kind of node that a pass on a cluster measures on: --settings, else the project's "cluster", says it.
//
// One target: what another kind of hardware says is another watch.
#pragma once

#include <string>

#include "specs/project/cluster.hpp"
#include "watch/asked.hpp"

namespace stackx::watch {

// Their one target. Throws Error(bad_input) where nobody says any, or where there are several.
specs::ClusterSettings cluster_settings(const WatchOptions& options);
specs::ClusterTarget cluster_target(const WatchOptions& options);

// What it measures on, as measurements name it; "": this machine's kind.
std::string cluster_hardware(const WatchOptions& options);

}  // namespace stackx::watch
