// The most of a GPU's memory that a run held, as NVML counted it from outside: all that its processes have there (context, code,
// workspaces, what an allocator keeps), where a framework's own counter has what it gave out.
//
//   "device_memory": {"counted": "processes", "peak_bytes": 1572864000}
//   "device_memory": {"counted": "device", "peak_bytes": 1572864000, "before_bytes": 524288000}
//
// `device`: the driver did not tell of the run's processes, so it is what the device had more in use than before the run.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

namespace stackx::specs {

class Node;
struct Inspection;

struct DeviceMemory {
  std::uint64_t peak_bytes = 0;               // above 0
  std::optional<std::uint64_t> before_bytes;  // of the device; absent: the run's processes were counted

  bool operator==(const DeviceMemory&) const = default;
};

// Where an amount of a metric of device memory is from: the PI (its framework's own counter), or NVML's count of the run's
// processes or of the whole device.
enum class DeviceMemorySource { stated, processes, device };
// Of "peak_device_memory_bytes" or "peak_nvml_memory_bytes"; nothing: the inspection does not have it.
std::optional<DeviceMemorySource> device_memory_source(const Inspection& inspection, std::string_view metric);

nlohmann::json to_json(const DeviceMemory& memory);
DeviceMemory device_memory_from(const Node& node);

}  // namespace stackx::specs
