#include "advisor/recipes/pipfile_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "advisor/recipes/parts.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {

using nlohmann::json;

json pipfile_pin(const StackPackage& package) {
  const std::string version = "==" + package.version;
  if (package.extras.empty()) return version;
  return {{"version", version}, {"extras", package.extras}};
}

json pipfile_requires(const specs::Stack& stack) {
  const auto python = stack.components.find("python");
  if (python == stack.components.end()) return json::object();
  return {{"python_version", specs::minor_release(python->second)}};
}

// JSON's strings are TOML's basic strings, and so are the arrays of them.
std::string pipfile_text(const json& sources, const json& packages, const json& requires_) {
  std::string text;
  if (!sources.empty()) {
    text += "[[source]]\n";
    for (const auto& [key, value] : sources[0].items()) text += key + " = " + value.dump() + "\n";
    text += "\n";
  }
  text += "[packages]\n";
  for (const auto& [name, value] : packages.items()) {
    const bool bare = name.find('.') == name.npos;  // other characters of PEP 503 need no quotes
    text += (bare ? name : json(name).dump()) + " = ";
    text += value.is_string() ? value.dump()
                              : fmt::format("{{version = {}, extras = {}}}",
                                            value["version"].dump(), value["extras"].dump());
    text += "\n";
  }
  text += "\n[dev-packages]\n";
  if (!requires_.empty())
    text += "\n[requires]\npython_version = " + requires_["python_version"].dump() + "\n";
  return text;
}

}  // namespace stackx::advisor
