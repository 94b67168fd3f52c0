#include "inspector/meters/device_memory_meter.hpp"

#include <algorithm>
#include <chrono>

#include "inspector/process/signals_blocked.hpp"

namespace stackx::inspector {

DeviceMemoryMeter::DeviceMemoryMeter(std::shared_ptr<GpuMemory> memory, RunMark mark)
    : memory_(std::move(memory)), mark_(std::move(mark)) {
  if (!memory_) return;
  before_ = memory_->used();
  const SignalsBlocked blocked;
  watcher_ = std::jthread([this](const std::stop_token& stop) { look_until(stop); });
}

DeviceMemoryMeter::~DeviceMemoryMeter() = default;

void DeviceMemoryMeter::look_until(const std::stop_token& stop) {
  using namespace std::chrono_literals;
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    look();
    wake_.wait_for(lock, stop, 100ms, [] { return false; });
  }
}

void DeviceMemoryMeter::look() {
  most_of_device_ = std::max(most_of_device_, memory_->used().value_or(0));
  std::uint64_t together = 0;
  for (const auto& [pid, bytes] : memory_->processes()) {
    if (!mark_.covers(static_cast<pid_t>(pid))) continue;
    together += bytes.value_or(0);
    hidden_ = hidden_ || !bytes;
  }
  most_of_processes_ = std::max(most_of_processes_, together);
}

std::optional<specs::DeviceMemory> DeviceMemoryMeter::end() {
  if (!watcher_.joinable()) return std::nullopt;
  watcher_.request_stop();
  watcher_.join();
  if (most_of_processes_ > 0 && !hidden_) return specs::DeviceMemory{most_of_processes_, std::nullopt};
  if (!before_ || most_of_device_ <= *before_) return std::nullopt;
  return specs::DeviceMemory{most_of_device_ - *before_, before_};
}

}  // namespace stackx::inspector
