// Freezes a project into a campaign on a cluster: for each target what is measured, drawn once, with the catalogs that it was
// drawn from, so that nodes read what the head read whatever changes later. A program of --pi is copied to
// <spool>/program-<its hash>/, from where nodes run it.
//
// The directory is made under another name and gets its own when it is whole: a campaign is on the spool, or it is not.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "campaigns/cluster/head/asked_project.hpp"
#include "specs/project/cluster_campaign.hpp"
#include "workspace/load.hpp"

namespace stackx::campaigns::cluster {

struct FreezeOptions {
  std::filesystem::path project;
  std::filesystem::path settings;      // a file of its own; empty: the project's "cluster"
  std::string on;                      // "slurm", "kubernetes": targets of that alone; empty: all
  bool node_local = false;
  bool allow_paths = false;            // catalogs may name programs and files
  bool exact = false;                  // a name of several GPUs is the most usual of them alone
  std::optional<std::uint64_t> sample, seed;  // instead of the sampler's
  PythonAsked python;
  std::optional<AskedProject> asked;   // what is frozen, where that is made already; `project` is what it was made of
};

// Where it runs, and nothing else is read. Throws Error(bad_input) where nobody says.
specs::ClusterSettings read_settings(const std::filesystem::path& project, const std::filesystem::path& settings);

// A target's project as it was frozen, read on the head.
workspace::Loaded load_frozen(const std::filesystem::path& target_directory, const workspace::Context& context);

// Writes nothing but to its directory below the settings' spool, or below `instead`, where it is only to be looked at.
// Throws Error(bad_input) for what cannot be measured, NoStack, Error(environment) where the spool refuses.
specs::ClusterCampaign freeze(const FreezeOptions& options, const workspace::Context& context,
                              const std::filesystem::path& instead = {});

}  // namespace stackx::campaigns::cluster
