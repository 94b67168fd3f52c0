#include "specs/result/device_memory.hpp"

#include "specs/format/json.hpp"
#include "specs/format/json_reader.hpp"
#include "specs/result/inspection.hpp"

namespace stackx::specs {
namespace {

std::uint64_t device_bytes(const Node& node, std::uint64_t least) {
  const auto bytes = node.unsigned_integer();
  if (bytes < least || bytes > most_memory) node.fail("expected bytes of memory, fewer than 2^50");
  return bytes;
}

}  // namespace

std::optional<DeviceMemorySource> device_memory_source(const Inspection& inspection, std::string_view metric) {
  if (inspection.metrics.contains(std::string(metric))) return DeviceMemorySource::stated;
  if (!inspection.device_memory) return std::nullopt;
  return inspection.device_memory->before_bytes ? DeviceMemorySource::device : DeviceMemorySource::processes;
}

Json to_json(const DeviceMemory& memory) {
  Json json = {{"counted", memory.before_bytes ? "device" : "processes"}, {"peak_bytes", memory.peak_bytes}};
  if (memory.before_bytes) json["before_bytes"] = *memory.before_bytes;
  return json;
}

DeviceMemory device_memory_from(const Node& node) {
  node.only({"counted", "peak_bytes", "before_bytes"});
  DeviceMemory memory{device_bytes(node.at("peak_bytes"), 1), std::nullopt};
  const auto counted = node.at("counted");
  const auto before = node.find("before_bytes");
  const bool of_device = counted.text() == "device";
  if (!of_device && counted.text() != "processes") counted.fail("expected \"processes\" or \"device\"");
  if (of_device != before.has_value()) node.fail("expected before_bytes where \"device\" was counted, and only there");
  if (of_device) memory.before_bytes = device_bytes(*before, 0);
  return memory;
}

}  // namespace stackx::specs
