#include "inspector/machine/gpu/nvml.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>

#include "inspector/machine/gpu/links.hpp"
#include "inspector/machine/gpu/nvml_abi.hpp"

namespace stackx::inspector {
namespace {

// --- NVML's ABI ---
using nvml::answers;
using nvml::Device;
using nvml::Memory;
using nvml::PciInfo;
using nvml::resolve;
using nvml::Status;
using nvml::success;
constexpr Status driver_not_loaded = 9;
constexpr Status blocked_by_system = 17;
constexpr Status version_mismatch = 18;

struct DeviceAttributes {  // nvmlDeviceAttributes_t
  unsigned multiprocessors, shared_copy_engines, shared_decoders, shared_encoders, shared_jpegs,
      shared_ofas, gpu_slices, compute_slices;
  unsigned long long memory_mib;
};

struct Api {
  Status (*init)();
  Status (*shutdown)();
  Status (*driver_version)(char*, unsigned);
  Status (*device_count)(unsigned*);
  Status (*device_by_index)(unsigned, Device*);
  Status (*name)(Device, char*, unsigned);
  Status (*uuid)(Device, char*, unsigned);
  Status (*memory)(Device, Memory*);
  // May be missing:
  const char* (*error_text)(Status);
  Status (*cuda_version)(int*);
  Status (*pci)(Device, PciInfo*);
  Status (*compute_capability)(Device, int*, int*);
  Status (*mig_mode)(Device, unsigned*, unsigned*);
  Status (*mig_count)(Device, unsigned*);
  Status (*mig_by_index)(Device, unsigned, Device*);
  Status (*attributes)(Device, DeviceAttributes*);
  Status (*pcie_generation)(Device, unsigned*);
  Status (*pcie_width)(Device, unsigned*);
};
// --- end of the ABI ---

struct Close {
  void operator()(void* handle) const { dlclose(handle); }
};
using Library = std::unique_ptr<void, Close>;

// The first required symbol that is missing; empty if all are there.
std::string resolve_all(void* library, Api& api) {
  std::string missing;
  const auto need = [&](const char* symbol, auto*& function) {
    if (!resolve(library, symbol, function) && missing.empty()) missing = symbol;
  };
  need("nvmlInit_v2", api.init);
  need("nvmlShutdown", api.shutdown);
  need("nvmlSystemGetDriverVersion", api.driver_version);
  need("nvmlDeviceGetCount_v2", api.device_count);
  need("nvmlDeviceGetHandleByIndex_v2", api.device_by_index);
  need("nvmlDeviceGetName", api.name);
  need("nvmlDeviceGetUUID", api.uuid);
  need("nvmlDeviceGetMemoryInfo", api.memory);
  resolve(library, "nvmlErrorString", api.error_text);
  resolve(library, "nvmlSystemGetCudaDriverVersion_v2", api.cuda_version);
  resolve(library, "nvmlDeviceGetPciInfo_v3", api.pci);
  resolve(library, "nvmlDeviceGetCudaComputeCapability", api.compute_capability);
  resolve(library, "nvmlDeviceGetMigMode", api.mig_mode);
  resolve(library, "nvmlDeviceGetMaxMigDeviceCount", api.mig_count);
  resolve(library, "nvmlDeviceGetMigDeviceHandleByIndex", api.mig_by_index);
  resolve(library, "nvmlDeviceGetAttributes_v2", api.attributes);
  resolve(library, "nvmlDeviceGetMaxPcieLinkGeneration", api.pcie_generation);
  resolve(library, "nvmlDeviceGetMaxPcieLinkWidth", api.pcie_width);
  return missing;
}

std::string describe(const Api& api, Status status) {
  const char* text = api.error_text != nullptr ? api.error_text(status) : nullptr;
  return fmt::format("{} (NVML error {})", text != nullptr ? text : "unnamed error", status);
}

std::string init_failure(const Api& api, Status status) {
  const std::string what = "NVML does not start: " + describe(api, status);
  switch (status) {
    case driver_not_loaded:
      return what +
             "; the NVIDIA kernel module is not loaded: `modprobe nvidia`, or install the driver";
    case blocked_by_system:
      return what + "; this container or control group may not open /dev/nvidia*";
    case version_mismatch:
      return what +
             "; the driver was updated under a running kernel module: reboot, or reload the module";
    default:
      return what;
  }
}

template <typename Function>
std::string text(Function* function, Device device) {
  std::array<char, 96>
      buffer{};  // NVML_DEVICE_NAME_V2_BUFFER_SIZE and NVML_DEVICE_UUID_V2_BUFFER_SIZE are 96
  if (function(device, buffer.data(), buffer.size()) != success) return "";
  buffer.back() = '\0';
  return buffer.data();
}

// "NVIDIA A100-SXM4-40GB MIG 1g.5gb" -> "1g.5gb"
std::string profile_in(const std::string& name) {
  const auto at = name.rfind(" MIG ");
  return at == std::string::npos ? "" : name.substr(at + 5);
}

// The instances of a card that is split; none where it is whole, or the driver knows no MIG.
std::vector<specs::MigInstance> read_mig(const Api& api, Device device) {
  std::vector<specs::MigInstance> result;
  unsigned current = 0, pending = 0, count = 0;
  const bool known = api.mig_mode != nullptr && api.mig_count != nullptr &&
                     api.mig_by_index != nullptr &&
                     api.mig_mode(device, &current, &pending) == success && current == 1 &&
                     api.mig_count(device, &count) == success;
  for (unsigned i = 0; known && i < count; ++i) {
    Device part = nullptr;
    if (api.mig_by_index(device, i, &part) != success) continue;  // a place that nobody took
    specs::MigInstance instance{text(api.uuid, part), profile_in(text(api.name, part)), 0};
    DeviceAttributes attributes{};
    if (api.attributes != nullptr && api.attributes(part, &attributes) == success)
      instance.memory_bytes = attributes.memory_mib << 20;
    if (!instance.uuid.empty()) result.push_back(std::move(instance));
  }
  return result;
}

std::optional<specs::PcieLink> read_pcie(const Api& api, Device device) {
  unsigned generation = 0, width = 0;
  if (!answers(api.pcie_generation, device, &generation) ||
      !answers(api.pcie_width, device, &width))
    return std::nullopt;
  return specs::PcieLink{static_cast<int>(generation), static_cast<int>(width)};
}

specs::Gpu read_gpu(const Api& api, Device device) {
  specs::Gpu gpu;
  gpu.model = text(api.name, device);
  gpu.uuid = text(api.uuid, device);
  Memory memory{};
  if (api.memory(device, &memory) == success) gpu.memory_bytes = memory.total;
  PciInfo pci{};
  if (api.pci != nullptr && api.pci(device, &pci) == success) {
    pci.bus_id[sizeof pci.bus_id - 1] = '\0';
    gpu.pci = pci.bus_id;
  }
  int major = 0, minor = 0;
  if (api.compute_capability != nullptr &&
      api.compute_capability(device, &major, &minor) == success)
    gpu.compute_capability = fmt::format("{}.{}", major, minor);
  gpu.mig = read_mig(api, device);
  gpu.pcie = read_pcie(api, device);
  return gpu;
}

void read_versions(const Api& api, NvmlReport& report) {
  std::array<char, 96> driver{};
  if (api.driver_version(driver.data(), driver.size() - 1) == success)
    report.driver = driver.data();
  int cuda = 0;  // 12040 is 12.4
  if (api.cuda_version != nullptr && api.cuda_version(&cuda) == success)
    report.cuda_driver = fmt::format("{}.{}", cuda / 1000, cuda % 1000 / 10);
}

// Returns the handles of the GPUs that it adds.
std::vector<Device> read_gpus(const Api& api, NvmlReport& report) {
  std::vector<Device> devices;
  unsigned count = 0;
  if (const Status status = api.device_count(&count); status != success) {
    report.note = "NVML cannot count GPUs: " + describe(api, status);
    return devices;
  }
  if (count == 0)
    report.note = fmt::format("NVIDIA driver {} runs but shows no GPU", report.driver);
  for (unsigned i = 0; i < count; ++i) {
    Device device = nullptr;
    const Status status = api.device_by_index(i, &device);
    if (status == success) {
      report.gpus.push_back(read_gpu(api, device));
      devices.push_back(device);
    } else {
      report.note += fmt::format("{}GPU {} cannot be opened: {}", report.note.empty() ? "" : "; ",
                                 i, describe(api, status));
    }
  }
  return devices;
}

}  // namespace

NvmlReport read_nvml(const std::string& library_name) {
  NvmlReport report;
  const Library library(dlopen(library_name.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!library) {
    const char* reason = dlerror();
    const std::string why = reason != nullptr ? reason : "";
    report.note = why.find("No such file") != std::string::npos
                      ? library_name + " not found"
                      : fmt::format("{} cannot be loaded: {}", library_name, why);
    return report;
  }
  Api api{};
  if (const std::string missing = resolve_all(library.get(), api); !missing.empty()) {
    report.note =
        fmt::format("{} lacks {}: the driver is too old, or it is no NVML", library_name, missing);
    return report;
  }
  if (const Status status = api.init(); status != success) {
    report.note = init_failure(api, status);
    return report;
  }
  read_versions(api, report);
  const std::vector<Device> devices = read_gpus(api, report);
  report.gpu_links = read_gpu_links(library.get(), devices, report.gpus);
  api.shutdown();
  return report;
}

std::string explain_missing_gpu(const Tree& tree) {
  const std::string devices = "/sys/bus/pci/devices";
  std::string found;
  for (const std::string& device : tree.entries(devices)) {
    const std::string directory = devices + "/" + device;
    const std::string kind = tree.line(directory + "/class").value_or("");
    if (tree.line(directory + "/vendor") == "0x10de" &&
        kind.starts_with("0x03"))  // display controllers
      found += (found.empty() ? "" : ", ") + device;
  }
  const auto module =
      tree.line("/proc/driver/nvidia/version");  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module
                                                 // 550.54.15 ..."
  if (module)
    return fmt::format(
        "; the kernel module is loaded ({}): in a container, start it with the GPU passed through",
        *module);
  if (!found.empty())
    return fmt::format("; PCI shows NVIDIA hardware ({}): install its driver", found);
  return "";
}

}  // namespace stackx::inspector
