// A stack of the catalogs put to check: would its Python packages, as an installer is told them, run on that GPU?
//
// The catalogs that advice and campaigns rest on say what goes together; check knows what an installer makes of it: a
// dependency that nobody pinned, taken in its newest version, may have no kernels for an older GPU.
#pragma once

#include <optional>
#include <string>

#include "advisor/check/check.hpp"
#include "advisor/recipes/stack_packages.hpp"
#include "specs/hardware/accelerator.hpp"

namespace stackx::advisor {

AskedGpu asked_gpu(const specs::Accelerator& model, const std::string& asked);

// Nothing where no package of it is known to check: no framework, or only what runs on CPUs.
std::optional<Checked> check_packages(const Knowledge& knowledge, const StackPackages& packages, const std::string& python,
                                      const AskedGpu& gpu, const std::string& driver = {});

}  // namespace stackx::advisor
