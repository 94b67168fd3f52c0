#include "advisor/recipes/install_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "advisor/recipes/quoting.hpp"
#include "specs/python/build_index.hpp"

namespace stackx::advisor {
namespace {

std::string line_of(const std::vector<std::string>& requirements, const std::set<specs::BuildIndex>& indexes) {
  std::string line = "pip install";
  for (const auto& text : requirements) line += " " + shell_word(text);
  for (const auto& index : indexes) line += " --extra-index-url " + index.url;
  return line;
}

}  // namespace

std::string install_line(const Pinned& pinned) {
  std::vector<std::string> requirements;
  std::set<specs::BuildIndex> indexes;
  for (const auto& one : pinned.packages) {
    if (one.implied) continue;
    const auto extras = one.extras.empty() ? "" : fmt::format("[{}]", fmt::join(one.extras, ","));
    requirements.push_back(one.name + extras + (one.version.empty() ? one.range : "==" + one.version));
    if (const auto index = specs::build_index(one.name, one.version)) indexes.insert(*index);
  }
  return line_of(requirements, indexes);
}

std::string install_line(const std::vector<std::string>& requirements) {
  std::set<specs::BuildIndex> indexes;
  for (const auto& text : requirements) {
    const auto version = text.find("==");
    if (version == text.npos) continue;
    const auto pinned = text.substr(version + 2, text.find_first_of(" ,;", version) - version - 2);
    if (const auto index = specs::build_index(text.substr(0, version), pinned)) indexes.insert(*index);
  }
  return line_of(requirements, indexes);
}

}  // namespace stackx::advisor
