// Memory of a GPU as NVML counts it: of all who hold it, and of each process that computes there.
//
// Processes' own numbers are what a process holds on the device: its CUDA context, code, libraries' workspaces, and what its
// allocator keeps. Drivers hide them where the asker may not know (some containers, WSL, confidential computing), or name
// processes by the numbers of another pid namespace. Three forms of the question came one after the other, the same on all
// later drivers (nvmlDeviceGetComputeRunningProcesses, _v2, _v3).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stackx::inspector {

struct GpuProcess {
  unsigned pid = 0;
  std::optional<std::uint64_t> bytes;  // nothing: the driver does not tell
};

class GpuMemory {
 public:
  virtual ~GpuMemory() = default;
  // Of the whole device, whoever holds it; nothing where it cannot be read this time.
  virtual std::optional<std::uint64_t> used() = 0;
  virtual std::vector<GpuProcess> processes() = 0;  // empty as well where the driver has no such question
};

// Null: NVML is not here, does not know the device, or does not tell its memory. `library`: as of nvml.hpp.
std::unique_ptr<GpuMemory> gpu_memory(const std::string& uuid, const std::string& library = "libnvidia-ml.so.1");

}  // namespace stackx::inspector
