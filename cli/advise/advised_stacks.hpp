// How the stacks of an advice are built here. The document names versions and no catalog, so where they come from is found:
//
//   --project, --catalog      as they say
//   catalogs that come along  the fewest that know all the versions: they are of several times and purposes, and what two of them
//                             say of one component may clash
//   the package index         of stacks that are a Python and packages, where no catalog knows a version of them: what `inspect`
//                             of a Python project measured
// Rejected: all catalogs that declare a component. Several declare numpy, and contradict each other.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "specs/catalog/stack.hpp"
#include "specs/project/pi_program.hpp"
#include "specs/project/workload.hpp"
#include "workspace/load.hpp"

namespace stackx::cli {

struct AdvisedStacks {
  std::filesystem::path advice, project, pi;  // the document; "" for what was not named
  std::vector<std::filesystem::path> catalogs;
  bool offline = false;
  specs::Workload workload;
  std::vector<specs::Stack> stacks;  // two that differ
};

struct Buildable {
  workspace::Loaded loaded;
  std::optional<specs::PiProgram> program;  // that measures, where it is not stackx's own: of packages any command
};

// Throws Error(bad_input) that names the first stack and version that nothing knows, or that is of other hardware than this.
Buildable buildable(const AdvisedStacks& asked, const workspace::Context& context);

}  // namespace stackx::cli
