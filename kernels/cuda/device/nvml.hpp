// Under which conditions each sample was taken: clocks, temperature, power, utilisation, throttling,
// by NVML.
//
// Read while the device works on a sample, where it times itself (sampler.hpp), else right after one: a reading
// takes from tens of microseconds to milliseconds. What it shows is the state at that moment; power
// is averaged by the board over its last tens of milliseconds (A100 and later: the last second), so
// a power in the sample's own window follows from the energy counter instead where the samples last
// longer than that.
//
// Utilisation is the percentage of the driver's last sampling period, 1/6 to 1 s, in which any
// kernel ran: where samples are shorter it counts what lies between them, too. NVML has none of a
// GPU that is divided by MIG, and power and energy only of the whole card, which are left out there.
//
// Throttled means that the clocks are held below what was asked for: by power, heat, a brake, or a
// neighbour (sync boost). Idle, an application-clocks setting and a display's needs do not count.
// NVML belongs to the machine: without it a measurement goes on, with a note instead of conditions.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kernels/cuda/device/api.hpp"
#include "kernels/cuda/device/driver.hpp"

namespace stackx::kernels::cuda {

struct Window {  // what NVML does not give is absent
  std::optional<unsigned> sm_clock_mhz, memory_clock_mhz, temperature_c;
  std::optional<unsigned> gpu_utilization_percent;
  std::optional<double> power_w, energy_j;  // energy: since the driver was loaded
  std::optional<std::uint64_t> throttle;    // nvmlClocksThrottleReasons
};

// nvmlClocksThrottleReason*: 1 idle, 2 application clocks, 4 software power cap, 8 hardware
// slowdown, 16 sync boost, 32 software thermal, 64 hardware thermal, 128 power brake, 256 display.
inline constexpr std::uint64_t kHarmlessReasons = 0x1 | 0x2 | 0x100;

class Conditions {
 public:
  // Never fails: note() tells why there is nothing to read.
  Conditions(const DeviceInfo& device, int cuda_version,
             const std::string& library = "libnvidia-ml.so.1");
  // On functions that are there already: tests have their own.
  Conditions(Nvml nvml, const DeviceInfo& device);

  void add();  // reads a window; one per measured sample
  const std::vector<Window>& windows() const { return windows_; }
  const std::string& note() const { return note_; }  // empty: all is well

  // Puts "conditions" and "throttled" into the document, and into "gpu" what does not change:
  // "driver", "persistence_mode", "power_limit_w", "max_sm_clock_mhz", "max_memory_clock_mhz",
  // "pcie_generation", "pcie_width". A note goes to "notes".
  void describe(nlohmann::json& document) const;

 private:
  void find_device(const DeviceInfo& device);
  std::optional<unsigned> number(int (*function)(void*, unsigned*)) const;
  std::optional<unsigned> clock(int (*function)(void*, int, unsigned*), int which) const;

  Nvml nvml_;
  void* device_ = nullptr;  // of a MIG instance: its GPU, which has the clocks
  bool shared_ = false;     // an instance: what the card draws is its neighbours', too
  std::vector<Window> windows_;
  std::string note_;
};

}  // namespace stackx::kernels::cuda
