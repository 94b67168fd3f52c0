// What several subcommands begin with: the project, its catalogs, and the machine at hand.
#pragma once

#include <optional>
#include <string>

#include "inspector/machine/gpu/devices.hpp"
#include "inspector/run/pi_command.hpp"
#include "specs/hardware/hardware.hpp"
#include "specs/project/project.hpp"
#include "workspace/context.hpp"

namespace stackx::workspace {

struct Loaded {
  specs::Project project;  // hardware "host" replaced by the version that the catalog now holds
  specs::Catalog catalog;
  specs::Host host;  // where Need::machine asked for it, or the project's hardware is this machine
  // The GPU that "host" means, and that GPU stacks are measured on; nothing: none is visible.
  std::optional<inspector::GpuDevice> device;
};

// Detecting the machine takes longer than counting the stacks of most projects. `inspections`: as `machine`, but where
// "host" means a GPU and none is here, stacks are resolved as if it did not matter, so that each is planned, and refused
// with the reason. `nodes`: as `machine`, for machines elsewhere: a driver of "host" beside a named GPU is each node's own, and
// stacks are resolved as if it did not matter.
enum class Need { stacks, machine, inspections, nodes };

// `device` is the beginning of a UUID or an index; empty: the first visible GPU.
Loaded load(const std::filesystem::path& project_file, const Context& where,
            const specs::PythonContext& context = {}, Need need = Need::machine,
            const std::string& device = {});

// The GPU that was asked for (see above), else the first that is visible; throws Error(bad_input).
std::optional<inspector::GpuDevice> device_of(const specs::Host& host, const std::string& asked);

// The user's own catalogs, over everything: $XDG_CONFIG_HOME/stackx/catalogs/*.json, by name.
std::vector<std::filesystem::path> user_overlays();

// stackx-pi beside stackx, and the scripts in kernels/python or share/stackx/python.
inspector::Pis find_pis(const std::filesystem::path& executable_directory);

}  // namespace stackx::workspace
