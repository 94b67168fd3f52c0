// A GPU's energy: NVML's counter, which Volta and later have. It moves ten times a second on an H200, more often on others.
//
// Of a part of a GPU (MIG) NVML has none: what the others draw on the same card is nobody's. NVML is loaded, and the GPU kept
// awake, as long as this lives.
#pragma once

#include <memory>

#include "inspector/machine/energy_counter.hpp"

namespace stackx::inspector {

// Null: NVML is not here, does not know the device, or has no counter of it. `library`: as of nvml.hpp.
std::unique_ptr<EnergyCounter> gpu_energy(const std::string& uuid, const std::string& library = "libnvidia-ml.so.1");

}  // namespace stackx::inspector
