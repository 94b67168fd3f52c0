// NVIDIA GPUs through NVML, loaded at run time: the build needs neither CUDA nor a driver, and one
// binary runs with any.
//
// The few functions used are declared in nvml.cpp and links.cpp after the ABI that NVIDIA keeps
// stable (nvml_abi.hpp); those that came late (CUDA version, compute capability, long PCI ids, links)
// may be missing. Rejected: nvml.h, which ties the build to a CUDA toolkit; parsing
// nvidia-smi, whose text changes between drivers.
#pragma once

#include <string>
#include <vector>

#include "inspector/machine/tree.hpp"
#include "specs/hardware/hardware.hpp"

namespace stackx::inspector {

struct NvmlReport {
  std::vector<specs::Gpu> gpus;  // in NVML's order; their NUMA nodes are topology.hpp's
  std::vector<specs::GpuLink> gpu_links;
  std::string driver;       // "550.54.15"; empty if NVML did not start
  std::string cuda_driver;  // newest CUDA that the driver supports, "12.4"
  std::string note;         // why there is no GPU, or why one is left out; empty when all is well
};

// `library` is a name that the loader looks up, or a path.
NvmlReport read_nvml(const std::string& library = "libnvidia-ml.so.1");

// What /proc and /sys add to a report without GPUs: "; PCI device 0000:17:00.0 is an NVIDIA one:
// ...".
std::string explain_missing_gpu(const Tree& tree);

}  // namespace stackx::inspector
