// What `stackx watch` is asked, and what of it can be known before the index is: which project, which workload, what measures.
//
// A project of stackx says its workload itself; where it names several, --workload says which of them. A Python project has
// none: --workload names one of stackx's own, --pi COMMAND any program (as `blame` takes it). Beside a project's own workload
// --pi FILE is a PI of the user's, as `inspect` takes it. One workload a watch: its question is "faster at what?". On a cluster it
// is told to compute on a GPU where the nodes have one, as `cluster submit` tells it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pypi/pip_settings.hpp"
#include "watch/history.hpp"
#include "watch/settling.hpp"
#include "workspace/context.hpp"

namespace stackx::watch {

struct WatchOptions {
  std::filesystem::path project;
  std::vector<std::string> catalogs;
  std::string workload, pi, files, prints = "seconds";  // prints: what the program of --pi does, of specs::printed_numbers
  std::string python;  // of a Python project
  std::string runner, device;
  std::optional<double> timeout_seconds, memory_gib;
  std::optional<double> budget_minutes;
  std::optional<std::uint64_t> budget_inspections;
  std::uint64_t most_new = 4;
  SettlingRule rule;
  pypi::PipOptions pip;
  bool refresh = true, offline = false, allow_paths = false, dry_run = false, blame = false, again = false, cluster = false;
  std::filesystem::path settings;  // of the cluster, beside the project's own; with these `cluster` is set
  std::string command;  // as it was given, to be told
};

// Throws Error(bad_input) for what cannot be watched.
Subject subject_of(const WatchOptions& options, const workspace::Context& context);

}  // namespace stackx::watch
