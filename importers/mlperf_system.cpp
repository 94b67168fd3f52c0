#include "importers/mlperf_system.hpp"

#include <fmt/format.h>

#include <cmath>

#include "importers/collector.hpp"
#include "importers/literal.hpp"
#include "importers/software.hpp"
#include "importers/words.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::importers {
namespace {

using specs::Json;

std::string text_of(const Json& value) {
  if (value.is_string()) return std::string(specs::trim(value.get<std::string>()).text);
  return value.is_number() || value.is_boolean() ? value.dump() : "";
}

// The first of these members that states something.
std::string stated(const Json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    if (const auto found = object.find(key); found != object.end())
      if (auto text = text_of(*found); is_stated(text)) return text;
  return "";
}

std::optional<std::uint64_t> count(const std::string& text) {
  const auto value = number_of(text);
  if (!value || !(*value >= 1 && *value <= 1e7) || *value != std::floor(*value))
    return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

// Values that are Python's or JSON's text of an object are that object.
Json unfolded(const Json& value) {
  if (!value.is_string()) return value;
  const auto text = value.get<std::string>();
  const auto begin = specs::trim(text).text;
  if (!begin.starts_with('{') && !begin.starts_with('[')) return value;
  return parse_literal(text).value_or(value);
}

void add_software(const Json& value, MlperfSystem& system) {
  const Json plain = unfolded(value);
  if (plain.is_array()) {
    for (const auto& item : plain) add_software(item, system);
    return;
  }
  std::string written;
  if (plain.is_object()) {
    for (const auto& [key, member] : plain.items()) {
      const auto text = text_of(member);
      if (!is_stated(text)) continue;
      written += fmt::format("{}{} {}", written.empty() ? "" : ", ", key, text);
      const auto component = component_of(key);
      const auto version = plain_version(text);
      if (!component.empty() && !version.empty()) system.versions.emplace(component, version);
    }
  } else if (written = text_of(plain); is_stated(written)) {
    for (const auto& [component, version] : versions_in(written))
      system.versions.emplace(component, version);
  } else {
    return;
  }
  if (!written.empty()) (system.software += system.software.empty() ? "" : "; ") += written;
}

// [{"num_nodes", "accelerator", "num_accelerators", "cpu"}]; of several kinds of nodes the one with
// accelerators.
void read_nodes(const Json& value, MlperfSystem& system) {
  const Json nodes = unfolded(value);
  for (const auto& item : nodes.is_array() ? nodes : Json::array({nodes})) {
    const Json node = unfolded(item);
    if (!node.is_object() || !system.accelerator.empty()) continue;
    system.accelerator = stated(node, {"accelerator", "accelerator_model_name"});
    if (system.cpu.empty()) system.cpu = stated(node, {"cpu", "host_processor_model_name"});
    if (!system.nodes) system.nodes = count(stated(node, {"num_nodes", "number_of_nodes"}));
    const auto each = count(stated(node, {"num_accelerators", "accelerators_per_node"}));
    if (!system.accelerator.empty() && system.nodes && each) system.devices = *system.nodes * *each;
  }
}

MlperfSystem read_description(const Json& object) {
  MlperfSystem system;
  system.submitter = stated(object, {"submitter", "sumitter", "org"});
  system.division = stated(object, {"division", "divison"});
  system.status = stated(object, {"status"});
  system.name = stated(object, {"system_name", "hardware", "platform"});
  system.framework = stated(object, {"framework"});
  system.os = stated(object, {"operating_system", "os"});
  system.accelerator = stated(object, {"accelerator_model_name"});
  system.cpu = stated(object, {"host_processor_model_name"});
  system.nodes = count(stated(object, {"number_of_nodes", "number of nodes"}));
  const auto each = count(stated(
      object, {system.accelerator.empty() ? "host_processors_per_node" : "accelerators_per_node"}));
  if (system.nodes && each) system.devices = *system.nodes * *each;
  if (const auto nodes = object.find("nodes"); nodes != object.end() && system.accelerator.empty())
    read_nodes(*nodes, system);
  for (const char* key : {"other_software_stack", "libraries", "ml_libraries", "math_libraries",
                          "compilers", "other_software"})
    if (const auto found = object.find(key); found != object.end()) add_software(*found, system);
  const auto keep = [&](const char* component, const std::string& text) {
    if (const auto version = plain_version(text); !version.empty())
      system.versions.emplace(component, version);
  };
  keep("python", stated(object, {"python_version"}));
  keep("nvidia_driver", stated(object, {"accelerator_driver"}));
  for (const auto& [component, version] : framework_version(system.framework))
    system.versions.emplace(component, version);
  return system;
}

// "key: {"value": ...}" lines.
std::optional<Json> read_lines(std::string_view text) {
  Json object = Json::object();
  for (const auto line : lines_of(text)) {
    const auto colon = line.find(": {");
    if (colon == line.npos || colon > 64) continue;
    const auto body = parse_literal(line.substr(colon + 1));
    if (!body || !body->is_object() || !body->contains("value")) continue;
    const auto key = specs::to_utf8(specs::trim(line.substr(0, colon)).text);
    const Json value = unfolded((*body)["value"]);
    if (key == "entry" && value.is_object())
      for (const auto& [name, member] : value.items()) object[name] = member;
    else
      object[key] = value;
  }
  if (object.empty()) return std::nullopt;
  return object;
}

}  // namespace

std::optional<MlperfSystem> read_mlperf_system(std::string_view text) {
  auto object = parse_literal(text);  // takes trailing commas
  if (!object || !object->is_object()) object = read_lines(text);
  if (!object) return std::nullopt;
  auto system = read_description(*object);
  if (system.hardware().empty() && system.framework.empty()) return std::nullopt;
  return system;
}

}  // namespace stackx::importers
