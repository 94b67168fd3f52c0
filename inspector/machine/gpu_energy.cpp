#include "inspector/machine/gpu_energy.hpp"

#include "inspector/machine/nvml_abi.hpp"
#include "specs/result/energy.hpp"

namespace stackx::inspector {
namespace {

class NvmlEnergy : public EnergyCounter {
 public:
  NvmlEnergy(std::string uuid, const std::string& library) : uuid_(std::move(uuid)) {
    library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) return;
    nvml::Status (*init)() = nullptr;
    nvml::Status (*by_uuid)(const char*, nvml::Device*) = nullptr;
    nvml::resolve(library_, "nvmlInit_v2", init);
    nvml::resolve(library_, "nvmlDeviceGetHandleByUUID", by_uuid);
    nvml::resolve(library_, "nvmlDeviceGetTotalEnergyConsumption", energy_);
    started_ = nvml::answers(init);
    if (!started_ || !nvml::answers(by_uuid, uuid_.c_str(), &device_)) device_ = nullptr;
  }
  ~NvmlEnergy() override {
    nvml::Status (*shutdown)() = nullptr;
    if (started_ && nvml::resolve(library_, "nvmlShutdown", shutdown)) shutdown();
    if (library_ != nullptr) dlclose(library_);
  }
  NvmlEnergy(const NvmlEnergy&) = delete;
  NvmlEnergy& operator=(const NvmlEnergy&) = delete;

  std::string source() const override { return specs::nvml_source; }
  std::vector<std::string> names() const override { return {uuid_}; }
  std::optional<double> joules() override {
    unsigned long long millijoules = 0;  // since the driver was loaded
    if (device_ == nullptr || !nvml::answers(energy_, device_, &millijoules)) return std::nullopt;
    return static_cast<double>(millijoules) / 1e3;
  }

 private:
  std::string uuid_;
  void* library_ = nullptr;
  bool started_ = false;
  nvml::Device device_ = nullptr;
  nvml::Status (*energy_)(nvml::Device, unsigned long long*) = nullptr;
};

}  // namespace

std::unique_ptr<EnergyCounter> gpu_energy(const std::string& uuid, const std::string& library) {
  auto counter = std::make_unique<NvmlEnergy>(uuid, library);
  if (!counter->joules()) return nullptr;
  return counter;
}

}  // namespace stackx::inspector
