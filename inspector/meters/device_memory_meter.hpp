// Watches from outside how much of a GPU's memory a run's processes hold, and keeps the most.
//
// A thread of its own asks NVML ten times a second, which is the inspector's time, not the PI's; what was held for less than
// that may be missed. Which processes are the run's is known by its mark. Where the driver hides their numbers, or tells
// pids that are not ours, the whole device counts, less what was used before: with others' processes in it that came meanwhile.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "inspector/machine/gpu/memory.hpp"
#include "inspector/meters/run_mark.hpp"
#include "specs/result/device_memory.hpp"

namespace stackx::inspector {

class DeviceMemoryMeter {
 public:
  // Begins at once; without `memory` there is nothing to watch.
  DeviceMemoryMeter(std::shared_ptr<GpuMemory> memory, RunMark mark);
  ~DeviceMemoryMeter();
  std::optional<specs::DeviceMemory> end();  // nothing: nothing was seen

 private:
  void look();
  void look_until(const std::stop_token& stop);

  std::shared_ptr<GpuMemory> memory_;
  RunMark mark_;
  std::optional<std::uint64_t> before_;
  std::uint64_t most_of_device_ = 0, most_of_processes_ = 0;
  bool hidden_ = false;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread watcher_;  // last: it ends before what it reads does
};

}  // namespace stackx::inspector
