#include "specs/result/sample_conditions.hpp"

#include <fmt/format.h>

#include "specs/format/json.hpp"

namespace stackx::specs {
namespace {

std::vector<double> column_from(const Node& node, std::size_t samples) {
  std::vector<double> column;
  for (const auto& item : node.items()) column.push_back(item.number());
  if (column.size() != samples)
    node.fail(fmt::format("expected one number for each of {} samples, found {}", samples,
                          column.size()));
  return column;
}

std::vector<std::uint64_t> indices_from(const Node& node, std::size_t samples) {
  std::vector<std::uint64_t> indices;
  for (const auto& item : node.items()) {
    const auto index = item.unsigned_integer();
    if (index >= samples || (!indices.empty() && index <= indices.back()))
      item.fail(fmt::format("expected increasing indices below {}", samples));
    indices.push_back(index);
  }
  return indices;
}

// nvmlClocksEventReason* of nvml.h (docs.nvidia.com/deploy/nvml-api).
constexpr std::pair<std::uint64_t, const char*> kReasons[] = {
    {0x1, "idle"},       {0x2, "clocks set by the user"}, {0x4, "power cap"},
    {0x8, "hardware slowdown"}, {0x10, "sync boost"},     {0x20, "heat"},
    {0x40, "heat (hardware)"},  {0x80, "power brake"},    {0x100, "display"}};

}  // namespace

std::string throttle_reasons(std::uint64_t mask) {
  std::string text;
  const auto add = [&](const std::string& reason) { text += (text.empty() ? "" : ", ") + reason; };
  for (const auto& [bit, reason] : kReasons) {
    if ((mask & bit) != 0) add(reason);
    mask &= ~bit;
  }
  if (mask != 0) add(fmt::format("{:#x}", mask));
  return text;
}

SampleConditions sample_conditions_from(const Node& document, std::size_t samples) {
  SampleConditions result;
  if (const auto columns = document.find("conditions")) {
    columns->only({"sm_clock_mhz", "memory_clock_mhz", "temperature_c", "power_w", "energy_j",
                   "gpu_utilization_percent", "throttle"});
    for (const auto& [name, column] : columns->members())
      result.columns[name] = column_from(column, samples);
  }
  if (const auto throttled = document.find("throttled"))
    result.throttled = indices_from(*throttled, samples);
  return result;
}

void put(Json& document, const SampleConditions& conditions) {
  if (!conditions.columns.empty()) document["conditions"] = conditions.columns;
  if (!conditions.throttled.empty()) document["throttled"] = conditions.throttled;
}

}  // namespace stackx::specs
