// The one kind of node that a pass on a cluster measures on: --settings, else the project's "cluster", says it.
//
// One target: what another kind of hardware says is another watch.
#pragma once

#include <string>

#include "campaigns/cluster/head/asked_project.hpp"
#include "specs/project/cluster.hpp"
#include "watch/asked.hpp"
#include "workspace/context.hpp"

namespace stackx::watch {

// Their one target. Throws Error(bad_input) where nobody says any, or where there are several.
specs::ClusterSettings cluster_settings(const WatchOptions& options);
specs::ClusterTarget cluster_target(const WatchOptions& options);

// What it measures on, as measurements name it; "": this machine's kind.
std::string cluster_hardware(const WatchOptions& options);

// As a project of stackx has it, over its own: nothing for this machine's kind. Of several models of a name the most usual.
campaigns::cluster::TargetHardware hardware_over(const specs::ClusterTarget& target, const workspace::Context& context);

}  // namespace stackx::watch
