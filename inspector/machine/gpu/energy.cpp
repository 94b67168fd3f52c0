#include "inspector/machine/gpu/energy.hpp"

#include "inspector/machine/gpu/nvml_device.hpp"
#include "specs/result/energy.hpp"

namespace stackx::inspector {
namespace {

class NvmlEnergy : public EnergyCounter {
 public:
  NvmlEnergy(std::string uuid, const std::string& library) : uuid_(std::move(uuid)), gpu_(uuid_, library) {
    gpu_.find("nvmlDeviceGetTotalEnergyConsumption", energy_);
  }

  std::string source() const override { return specs::nvml_source; }
  std::vector<std::string> names() const override { return {uuid_}; }
  std::optional<double> joules() override {
    unsigned long long millijoules = 0;  // since the driver was loaded
    if (!nvml::answers(energy_, gpu_.device(), &millijoules)) return std::nullopt;
    return static_cast<double>(millijoules) / 1e3;
  }

 private:
  std::string uuid_;
  nvml::OpenDevice gpu_;
  nvml::Status (*energy_)(nvml::Device, unsigned long long*) = nullptr;
};

}  // namespace

std::unique_ptr<EnergyCounter> gpu_energy(const std::string& uuid, const std::string& library) {
  auto counter = std::make_unique<NvmlEnergy>(uuid, library);
  if (!counter->joules()) return nullptr;
  return counter;
}

}  // namespace stackx::inspector
