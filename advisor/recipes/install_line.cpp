#include "advisor/recipes/install_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "advisor/recipes/quoting.hpp"
#include "specs/python/build_index.hpp"

namespace stackx::advisor {
namespace {

struct Parts {
  std::vector<std::string> requirements, compiled;
  std::set<specs::BuildIndex> indexes;
};

std::string line_of(const Parts& parts) {
  std::string line;
  const auto add = [&](const char* command, const std::vector<std::string>& packages) {
    if (packages.empty()) return;
    line += (line.empty() ? "" : " && ") + std::string(command);
    for (const auto& text : packages) line += " " + shell_word(text);
    for (const auto& index : parts.indexes) line += " --extra-index-url " + index.url;
  };
  add("pip install", parts.requirements);
  add("pip install --no-build-isolation", parts.compiled);
  return line;
}

}  // namespace

std::string install_line(const Pinned& pinned) {
  std::vector<std::string> requirements;
  std::map<std::string, std::vector<std::string>> compiled;
  for (const auto& one : pinned.packages) {
    if (one.implied) continue;
    const auto extras = one.extras.empty() ? "" : fmt::format("[{}]", fmt::join(one.extras, ","));
    requirements.push_back(one.name + extras + (one.version.empty() ? one.range : "==" + one.version));
    if (one.compiled()) compiled[one.name] = one.compiled_beside;
  }
  return install_line(requirements, compiled);
}

std::string install_line(const std::vector<std::string>& requirements, const std::map<std::string, std::vector<std::string>>& compiled) {
  Parts parts;
  std::set<std::string> named;
  for (const auto& text : requirements) {
    const auto name = text.substr(0, text.find_first_of("[=<>!~ ;"));
    named.insert(name);
    (compiled.contains(name) ? parts.compiled : parts.requirements).push_back(text);
    const auto version = text.find("==");
    if (version == text.npos) continue;
    const auto pinned = text.substr(version + 2, text.find_first_of(" ,;", version) - version - 2);
    if (const auto index = specs::build_index(name, pinned)) parts.indexes.insert(*index);
  }
  for (const auto& [name, beside] : compiled)
    for (const auto& needed : beside)
      if (named.contains(name) && named.insert(needed).second) parts.requirements.push_back(needed);
  return line_of(parts);
}

}  // namespace stackx::advisor
