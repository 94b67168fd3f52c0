// Whether a stack needs a GPU, and why this machine's does not do: asked before anything of the
// stack is fetched or built.
//
// A stack needs one if it names a GPU, a driver or a CUDA runtime, or if one of its versions
// requires something of those. What its versions require of `driver` and of `gpu` attributes is held
// against the driver and the device that are here, whatever model the stack was resolved for: a
// campaign planned for another machine is refused by the same sentence. A workload with device=gpu is measured on one whatever the
// stack says: what a package index has of torch tells nothing of CUDA. Rejected: leaving it to the
// CUDA runtime, whose "driver version is insufficient" comes after gigabytes of wheels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inspector/machine/gpu/devices.hpp"
#include "specs/catalog/catalog.hpp"
#include "specs/catalog/stack.hpp"
#include "specs/project/workload.hpp"

namespace stackx::inspector {

// An attribute of versions whose requirements of a GPU were taken away, so that stacks of them can be planned without one.
inline constexpr const char* gpu_needed = "needs_gpu";

bool needs_gpu(const specs::Stack& stack, const specs::Catalog& catalog);

// Where an inspection is one of the GPU, and not of the machine's processor.
bool uses_gpu(const specs::Stack& stack, const specs::Workload& workload, const specs::Catalog& catalog);

// Whether a workload is spread over a machine's GPUs: ranks that exchange, workers, a model in parts.
bool is_spread(const specs::Workload& workload);
// That device, and of such a workload the other whole cards of its model that are visible: what CUDA is to see, in this order. Of
// `visible` that device is one.
std::vector<GpuDevice> devices_for(const GpuDevice& device, const std::vector<GpuDevice>& visible, const specs::Host& host,
                                   const specs::Workload& workload);

// One sentence with what to do; nothing if the device will do. `device`: nothing if none is visible.
std::optional<std::string> why_not_on(const std::optional<GpuDevice>& device,
                                      const specs::Host& host, const specs::Stack& stack,
                                      const specs::Catalog& catalog);

}  // namespace stackx::inspector
