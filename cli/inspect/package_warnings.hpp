// Of a plan, before anything is downloaded: stacks whose packages, as an installer takes them, do not run on its GPU.
// A warning only: `check` knows what it was told, and the machine has the last word.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "specs/project/plan.hpp"
#include "specs/project/project.hpp"

namespace stackx::cli {

// On stderr, a line a reason, with stacks called by what the project asks for: "torch 2.15.0". `gpu`: as nvidia-smi or --hw name
// it; `driver`: "" if unknown. Nothing about a GPU that is not known.
void warn_of_packages(const specs::Plan& plan, const specs::LoadedProject& from, const std::string& gpu, const std::string& driver,
                      const std::vector<std::string>& catalogs, const Globals& globals);

}  // namespace stackx::cli
