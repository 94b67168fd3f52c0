#include "kernels/cuda/device/driver.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <vector>

#include "kernels/cuda/device/errors.hpp"

namespace stackx::kernels::cuda {
namespace {

// CUresult
constexpr int kNoDevice = 100, kInvalidDevice = 101;
// CUdevice_attribute
constexpr int kMultiprocessors = 16, kMemoryClockKhz = 36, kMemoryBusBits = 37, kL2Bytes = 38,
              kMajor = 75, kMinor = 76;
constexpr int kMinorCompatibility =
    11;  // the first major version within which drivers may be older

constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";

std::string visible_note() {
  const char* visible = std::getenv(kVisible);
  return visible == nullptr ? "" : fmt::format(" ({}={})", kVisible, visible);
}

// "GPU-8f3c1c52-....": how nvidia-smi and NVML write it.
std::string uuid_text(const char* kind, const Uuid& uuid) {
  std::string text = kind;
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", uuid.bytes[i]);
  }
  return text;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

void read_uuid(const Driver& driver, int device, DeviceInfo& info) {
  Uuid gpu{}, own{};
  if (driver.cuDeviceGetUuid(&gpu, device) != 0) return;
  info.uuid = uuid_text("GPU-", gpu);
  if (driver.cuDeviceGetUuid_v2 == nullptr || driver.cuDeviceGetUuid_v2(&own, device) != 0) return;
  if (std::equal(std::begin(gpu.bytes), std::end(gpu.bytes), std::begin(own.bytes))) return;
  info.parent_uuid = info.uuid;
  info.uuid = uuid_text("MIG-", own);
}

DeviceInfo read_device(const Driver& driver, int ordinal) {
  DeviceInfo info;
  info.ordinal = ordinal;
  int device = 0;
  if (driver.cuDeviceGet(&device, ordinal) != 0) return info;
  std::array<char, 256> text{};
  if (driver.cuDeviceGetName(text.data(), text.size() - 1, device) == 0) info.name = text.data();
  text.fill('\0');
  if (driver.cuDeviceGetPCIBusId(text.data(), text.size() - 1, device) == 0)
    info.pci = lower(text.data());
  read_uuid(driver, device, info);
  const auto attribute = [&](int which) {
    int value = 0;
    return driver.cuDeviceGetAttribute(&value, which, device) == 0 ? value : 0;
  };
  info.major = attribute(kMajor);
  info.minor = attribute(kMinor);
  info.l2_bytes = static_cast<std::size_t>(attribute(kL2Bytes));
  info.multiprocessors = attribute(kMultiprocessors);
  info.memory_clock_khz = attribute(kMemoryClockKhz);
  info.memory_bus_bits = attribute(kMemoryBusBits);
  driver.cuDeviceTotalMem_v2(&info.memory_bytes, device);
  return info;
}

bool is_index(const std::string& wanted) {
  return !wanted.empty() && wanted.size() <= 4 &&
         wanted.find_first_not_of("0123456789") == std::string::npos;
}

std::string init_refusal(const Driver& driver, int status) {
  const bool of_visible = status == kNoDevice || status == kInvalidDevice;
  return "CUDA does not start: " + error_text(driver, status) + (of_visible ? visible_note() : "") + remedy(status);
}

std::expected<DeviceInfo, Unsupported> choose(const Driver& driver, const std::string& wanted) {
  int count = 0;
  if (const int status = driver.cuDeviceGetCount(&count); status != 0)
    return std::unexpected(init_refusal(driver, status));
  if (count == 0) return std::unexpected(init_refusal(driver, kNoDevice));
  if (is_index(wanted) || wanted.empty()) {
    const int index = wanted.empty() ? 0 : std::stoi(wanted);
    if (index < count) return read_device(driver, index);
    return std::unexpected(
        fmt::format("device={}: only {} visible{}", index, count, visible_note()));
  }
  std::vector<DeviceInfo> matches;
  std::vector<std::string> seen;
  for (int i = 0; i < count; ++i) {
    DeviceInfo info = read_device(driver, i);
    seen.push_back(info.uuid);
    if (lower(info.uuid).starts_with(lower(wanted))) matches.push_back(std::move(info));
  }
  if (matches.size() == 1) return matches.front();
  return std::unexpected(fmt::format("device={}: {} of the visible devices{}: {}", wanted,
                                     matches.empty() ? "none" : "several", visible_note(),
                                     fmt::join(seen, ", ")));
}

// A device that CUDA would not show by itself: see the header.
void make_visible(const std::string& wanted) {
  if (lower(wanted).starts_with("mig-")) setenv(kVisible, wanted.c_str(), 0);
}

// Why dlopen refused, in few words.
std::string absence(const std::string& library, const std::string& message) {
  if (message.find("No such file") != std::string::npos)
    return library +
           " not found: the NVIDIA driver is not installed, or, in a container, the GPU is "
           "not passed through";
  return message;
}

}  // namespace

std::string DeviceInfo::architecture(const char* prefix) const {
  return fmt::format("{}{}{}", prefix, major, minor);
}

std::string error_text(const Driver& driver, int error) {
  const char *name = nullptr, *text = nullptr;
  driver.cuGetErrorName(error, &name);
  driver.cuGetErrorString(error, &text);
  return fmt::format("{} ({}): {}", name != nullptr ? name : "unnamed error", error,
                     text != nullptr ? text : "no description");
}

std::expected<DriverAndDevice, Unsupported> open_driver(const std::string& wanted,
                                                        const std::string& library) {
  std::optional<SharedObject> object;
  try {
    object.emplace(library);
  } catch (const LoadError& error) {
    return std::unexpected(absence(library, error.what()));
  }
  make_visible(wanted);  // before cuInit, which reads it
  DriverAndDevice found;
  try {
    found.driver = load_api<Driver>(*object);
  } catch (const LoadError& error) {
    return std::unexpected(fmt::format("{}; the driver is too old, or it is none", error.what()));
  }
  if (const int status = found.driver.cuInit(0); status != 0)
    return std::unexpected(init_refusal(found.driver, status));
  auto device = choose(found.driver, wanted);
  if (!device) return std::unexpected(device.error());
  found.device = std::move(*device);
  return found;
}

std::optional<Unsupported> driver_too_old(int driver, int runtime) {
  const bool same_family = driver / 1000 == runtime / 1000 && runtime / 1000 >= kMinorCompatibility;
  if (driver >= runtime || same_family) return std::nullopt;
  const std::string least = runtime / 1000 >= kMinorCompatibility
                                ? fmt::format("{}.0", runtime / 1000)
                                : cuda_version_text(runtime);
  return fmt::format(
      "the driver is too old: it supports CUDA {}, the stack is CUDA {}; install a driver for CUDA "
      "{} or newer",
      cuda_version_text(driver), cuda_version_text(runtime), least);
}

}  // namespace stackx::kernels::cuda
