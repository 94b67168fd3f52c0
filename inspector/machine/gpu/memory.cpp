#include "inspector/machine/gpu/memory.hpp"

#include <limits>

#include "inspector/machine/gpu/nvml_device.hpp"

namespace stackx::inspector {
namespace {

// --- NVML's ABI ---
constexpr nvml::Status insufficient_size = 7;
constexpr auto not_available = std::numeric_limits<unsigned long long>::max();  // NVML_VALUE_NOT_AVAILABLE
struct FirstProcessInfo {  // nvmlProcessInfo_v1_t
  unsigned pid;
  unsigned long long used;
};
struct ProcessInfo {  // nvmlProcessInfo_v2_t
  unsigned pid;
  unsigned long long used;
  unsigned gpu_instance, compute_instance;
};
// Drivers 535.43 to 535.86 write entries of 32 bytes by nvmlDeviceGetComputeRunningProcesses_v3, others of 24 (nvitop's
// issues 79, 89): _v2's have been the same since there are any, and it is not asked.
// --- end of the ABI ---

// There may be more by the time that the array is there.
template <typename Info>
std::vector<GpuProcess> listed(nvml::Status (*ask)(nvml::Device, unsigned*, Info*), nvml::Device device) {
  std::vector<Info> infos(16);
  auto count = static_cast<unsigned>(infos.size());
  auto status = ask(device, &count, infos.data());
  for (int tries = 0; status == insufficient_size && tries < 4; ++tries) {
    infos.resize(2 * std::size_t{count} + 8);
    count = static_cast<unsigned>(infos.size());
    status = ask(device, &count, infos.data());
  }
  std::vector<GpuProcess> result;
  if (status != nvml::success) return result;
  for (unsigned i = 0; i < count && i < infos.size(); ++i) {
    auto& process = result.emplace_back(GpuProcess{infos[i].pid, std::nullopt});
    if (infos[i].used != not_available) process.bytes = infos[i].used;
  }
  return result;
}

class NvmlMemory : public GpuMemory {
 public:
  NvmlMemory(const std::string& uuid, const std::string& library) : gpu_(uuid, library) {
    gpu_.find("nvmlDeviceGetMemoryInfo", memory_);
    gpu_.find("nvmlDeviceGetComputeRunningProcesses_v2", processes_) ||
        gpu_.find("nvmlDeviceGetComputeRunningProcesses", first_processes_);
  }

  std::optional<std::uint64_t> used() override {
    nvml::Memory memory{};
    return nvml::answers(memory_, gpu_.device(), &memory) ? std::optional<std::uint64_t>(memory.used) : std::nullopt;
  }

  std::vector<GpuProcess> processes() override {
    if (processes_ != nullptr) return listed(processes_, gpu_.device());
    return first_processes_ != nullptr ? listed(first_processes_, gpu_.device()) : std::vector<GpuProcess>{};
  }

 private:
  nvml::OpenDevice gpu_;
  nvml::Status (*memory_)(nvml::Device, nvml::Memory*) = nullptr;
  nvml::Status (*processes_)(nvml::Device, unsigned*, ProcessInfo*) = nullptr;
  nvml::Status (*first_processes_)(nvml::Device, unsigned*, FirstProcessInfo*) = nullptr;
};

}  // namespace

std::unique_ptr<GpuMemory> gpu_memory(const std::string& uuid, const std::string& library) {
  auto memory = std::make_unique<NvmlMemory>(uuid, library);
  if (!memory->used()) return nullptr;
  return memory;
}

}  // namespace stackx::inspector
