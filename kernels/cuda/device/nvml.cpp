#include "kernels/cuda/device/nvml.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

namespace stackx::kernels::cuda {
namespace {

using nlohmann::json;

constexpr int kSmClock = 1, kMemoryClock = 2;  // nvmlClockType_t
constexpr int kGpuSensor = 0;                  // nvmlTemperatureSensors_t

// An array as long as the windows, if every one has the quantity.
template <typename Member>
void put_array(json& conditions, const char* name, const std::vector<Window>& windows,
               Member member) {
  json values = json::array();
  for (const Window& window : windows) {
    if (!(window.*member)) return;
    values.push_back(*(window.*member));
  }
  conditions[name] = std::move(values);
}

}  // namespace

Conditions::Conditions(const DeviceInfo& device, int cuda_version, const std::string& library) {
  try {
    nvml_ = load_nvml(SharedObject(library), cuda_version);
  } catch (const LoadError& error) {
    note_ = fmt::format("no clocks, temperature, power: {}", error.what());
    return;
  }
  find_device(device);
}

Conditions::Conditions(Nvml nvml, const DeviceInfo& device) : nvml_(std::move(nvml)) {
  find_device(device);
}

void Conditions::find_device(const DeviceInfo& device) {
  const auto refuse = [&](const char* what, int status) {
    note_ = fmt::format("no clocks, temperature, power: {}: {} (NVML error {})", what,
                        nvml_.nvmlErrorString(status), status);
    device_ = nullptr;
  };
  if (const int status = nvml_.nvmlInit_v2(); status != 0) return refuse("NVML", status);
  // The order of NVML's devices is not CUDA's; UUIDs are the same in both.
  const std::string& uuid = device.mig() ? device.parent_uuid : device.uuid;
  int status = nvml_.nvmlDeviceGetHandleByUUID(uuid.c_str(), &device_);
  if (status != 0 && nvml_.nvmlDeviceGetHandleByPciBusId_v2 != nullptr)
    status = nvml_.nvmlDeviceGetHandleByPciBusId_v2(device.pci.c_str(), &device_);
  if (status != 0) refuse(uuid.c_str(), status);
  shared_ = device.mig();
}

std::optional<unsigned> Conditions::number(int (*function)(void*, unsigned*)) const {
  unsigned value = 0;
  if (device_ == nullptr || function == nullptr || function(device_, &value) != 0)
    return std::nullopt;
  return value;
}

std::optional<unsigned> Conditions::clock(int (*function)(void*, int, unsigned*), int which) const {
  unsigned value = 0;
  if (device_ == nullptr || function == nullptr || function(device_, which, &value) != 0)
    return std::nullopt;
  return value;
}

void Conditions::add() {
  if (device_ == nullptr) return;
  Window window;
  // What fades first is read first.
  unsigned long long value = 0;
  auto* reasons = nvml_.nvmlDeviceGetCurrentClocksThrottleReasons != nullptr
                      ? nvml_.nvmlDeviceGetCurrentClocksThrottleReasons
                      : nvml_.nvmlDeviceGetCurrentClocksEventReasons;
  if (reasons != nullptr && reasons(device_, &value) == 0) window.throttle = value;
  window.sm_clock_mhz = clock(nvml_.nvmlDeviceGetClockInfo, kSmClock);
  window.memory_clock_mhz = clock(nvml_.nvmlDeviceGetClockInfo, kMemoryClock);
  if (const auto milliwatts = number(nvml_.nvmlDeviceGetPowerUsage); milliwatts && !shared_)
    window.power_w = *milliwatts / 1e3;
  window.temperature_c = clock(nvml_.nvmlDeviceGetTemperature, kGpuSensor);
  Utilization percent{};
  if (nvml_.nvmlDeviceGetUtilizationRates != nullptr &&
      nvml_.nvmlDeviceGetUtilizationRates(device_, &percent) == 0)
    window.gpu_utilization_percent = percent.gpu;
  if (!shared_ && nvml_.nvmlDeviceGetTotalEnergyConsumption != nullptr &&
      nvml_.nvmlDeviceGetTotalEnergyConsumption(device_, &value) == 0)
    window.energy_j = static_cast<double>(value) / 1e3;
  windows_.push_back(window);
}

void Conditions::describe(json& document) const {
  if (!note_.empty()) document["notes"].push_back(note_);
  if (device_ == nullptr) return;
  json& gpu = document["gpu"];
  std::array<char, 96> text{};
  if (nvml_.nvmlSystemGetDriverVersion != nullptr &&
      nvml_.nvmlSystemGetDriverVersion(text.data(), text.size() - 1) == 0)
    gpu["driver"] = text.data();
  int persistence = 0;
  if (nvml_.nvmlDeviceGetPersistenceMode != nullptr &&
      nvml_.nvmlDeviceGetPersistenceMode(device_, &persistence) == 0)
    gpu["persistence_mode"] = persistence != 0;
  if (const auto milliwatts = number(nvml_.nvmlDeviceGetEnforcedPowerLimit))
    gpu["power_limit_w"] = *milliwatts / 1e3;
  const auto put = [&](const char* name, const std::optional<unsigned>& value) {
    if (value) gpu[name] = *value;
  };
  put("max_sm_clock_mhz", clock(nvml_.nvmlDeviceGetMaxClockInfo, kSmClock));
  put("max_memory_clock_mhz", clock(nvml_.nvmlDeviceGetMaxClockInfo, kMemoryClock));
  put("pcie_generation", number(nvml_.nvmlDeviceGetCurrPcieLinkGeneration));
  put("pcie_width", number(nvml_.nvmlDeviceGetCurrPcieLinkWidth));
  if (windows_.empty()) return;

  json conditions = json::object();
  put_array(conditions, "sm_clock_mhz", windows_, &Window::sm_clock_mhz);
  put_array(conditions, "memory_clock_mhz", windows_, &Window::memory_clock_mhz);
  put_array(conditions, "temperature_c", windows_, &Window::temperature_c);
  put_array(conditions, "power_w", windows_, &Window::power_w);
  put_array(conditions, "energy_j", windows_, &Window::energy_j);
  put_array(conditions, "gpu_utilization_percent", windows_, &Window::gpu_utilization_percent);
  put_array(conditions, "throttle", windows_, &Window::throttle);
  document["conditions"] = std::move(conditions);
  json throttled = json::array();
  for (std::size_t i = 0; i < windows_.size(); ++i)
    if ((windows_[i].throttle.value_or(0) & ~kHarmlessReasons) != 0) throttled.push_back(i);
  document["throttled"] = std::move(throttled);
}

}  // namespace stackx::kernels::cuda
