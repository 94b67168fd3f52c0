// What blocks need of packages, fetched by the head, since nodes of a cluster have no network as a rule.
//
// The head makes every stack's environment once, in the spool's stage directory for machines like itself; it is a cache like
// $XDG_CACHE_HOME/stackx. Blocks then use it where it is (`shared`), or copy it to the node first, once (`node`): what a
// framework imports then comes from the node's own disk. Nodes of another kind of processor than the head's find nothing there:
// their stage is made by `stackx cluster stage` on a machine like them. Images of the container runner lie in the engine's own
// storage: they are archived beside, and a node whose engine lacks one loads it, from there and once.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "specs/project/cluster_campaign.hpp"
#include "workspace/context.hpp"
#include "workspace/load.hpp"

namespace stackx::campaigns::cluster {

struct Staged {
  std::size_t stacks = 0;
  std::vector<std::string> failed;  // "3f2a09c1d2e4: why": such stacks are results, too
};

// Makes the environments of a target's stacks in the stage directory of `root`. `say` hears of downloads.
Staged stage(const std::filesystem::path& root, const specs::FrozenTarget& target, const workspace::Loaded& loaded,
             const workspace::Context& context);

// Whether there is anything for machines like this one.
bool is_staged(const std::filesystem::path& root);
// The cache that blocks on this machine then use: the spool's, or its copy on this node.
std::filesystem::path staged_cache(const std::filesystem::path& root, bool node_local);

}  // namespace stackx::campaigns::cluster
