#include "advisor/recipes/pipfile_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "advisor/recipes/parts.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {

using nlohmann::json;

json pipfile_pin(const StackPackage& package) {
  const auto version = package.versions().empty() ? "*" : package.versions();
  if (package.extras.empty() && !package.index) return version;
  json pin = {{"version", version}};
  if (!package.extras.empty()) pin["extras"] = package.extras;
  if (package.index) pin["index"] = package.index->name;
  return pin;
}

json pipfile_requires(const specs::Stack& stack) {
  const auto python = stack.components.find("python");
  if (python == stack.components.end()) return json::object();
  return {{"python_version", specs::minor_release(python->second)}};
}

// JSON's strings are TOML's basic strings, and so are the arrays of them.
std::string pipfile_text(const json& sources, const json& packages, const json& requires_) {
  std::string text;
  for (const auto& source : sources) {
    text += "[[source]]\n";
    for (const auto& [key, value] : source.items()) text += key + " = " + value.dump() + "\n";
    text += "\n";
  }
  text += "[packages]\n";
  for (const auto& [name, value] : packages.items()) {
    const bool bare = name.find('.') == name.npos;  // other characters of PEP 503 need no quotes
    text += (bare ? name : json(name).dump()) + " = ";
    std::string table;
    if (value.is_object())
      for (const char* key : {"version", "extras", "index"})
        if (value.contains(key)) table += fmt::format("{}{} = {}", table.empty() ? "" : ", ", key, value[key].dump());
    text += value.is_string() ? value.dump() : "{" + table + "}";
    text += "\n";
  }
  text += "\n[dev-packages]\n";
  if (!requires_.empty())
    text += "\n[requires]\npython_version = " + requires_["python_version"].dump() + "\n";
  return text;
}

}  // namespace stackx::advisor
