// What joins the GPUs of a machine, pair by pair, as NVML tells it: where they meet over PCIe, NVLinks from one
// to the other or through NVSwitches, and whether one may read the other's memory.
//
// All functions of NVML for this came late or are for some cards only; where one is missing or answers "not
// supported", what it would have said is absent, and a pair that nothing is known of has no entry. Rejected:
// parsing `nvidia-smi topo -m`, whose text changes between drivers; hwloc's NVML plugin, which is another package.
#pragma once

#include <vector>

#include "inspector/machine/gpu/nvml_abi.hpp"
#include "specs/hardware/hardware.hpp"

namespace stackx::inspector {

// `library` is NVML, loaded and initialised; `devices` are its handles of `gpus`, in the same order.
std::vector<specs::GpuLink> read_gpu_links(void* library, const std::vector<nvml::Device>& devices,
                                           const std::vector<specs::Gpu>& gpus);

}  // namespace stackx::inspector
