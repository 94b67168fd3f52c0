// What is looked at, one function a subject; each asks the very code that will be used when stackx measures, resolves or
// fetches. Nothing is changed: what a trial needs (an image that holds the supervisor alone, as of inspector/confinement/engine.hpp)
// goes away with it.
//
// Each has limits of its own; see side_by_side.hpp for those that the system does not let us set.
#pragma once

#include <filesystem>

#include "workspace/context.hpp"
#include "workspace/doctor/finding.hpp"

namespace stackx::workspace {

Findings look_at_parts(const Context& context);       // programs, catalogs, charts
Findings look_at_sandbox(const Context& context);     // sandbox
Findings look_at_containers(const Context& context);  // containers, base images
Findings look_at_python();                            // Python
Findings look_at_uv(const Context& context);          // uv
Findings look_at_index(bool offline);                 // package index
Findings look_at_gpus();                              // GPU, GPU in containers
Findings look_at_noise();                             // noise
Findings look_at_energy(const std::filesystem::path& root = "/");  // energy; tests have a root of their own
Findings look_at_slurm();                             // Slurm
Findings look_at_kubernetes();                        // Kubernetes
Findings look_at_store(const Context& context);       // store
Findings look_at_disk(const Context& context);        // disk

}  // namespace stackx::workspace
