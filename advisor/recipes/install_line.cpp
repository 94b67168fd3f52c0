#include "advisor/recipes/install_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "advisor/recipes/quoting.hpp"
#include "specs/python/pytorch_index.hpp"

namespace stackx::advisor {
namespace {

std::string line_of(const std::vector<std::string>& requirements, const std::set<std::string>& builds) {
  std::string line = "pip install";
  for (const auto& text : requirements) line += " " + shell_word(text);
  for (const auto& build : builds) line += " --extra-index-url " + specs::pytorch_index(build);
  return line;
}

}  // namespace

std::string install_line(const Pinned& pinned) {
  std::vector<std::string> requirements;
  std::set<std::string> builds;
  for (const auto& one : pinned.packages) {
    if (one.implied) continue;
    const auto extras = one.extras.empty() ? "" : fmt::format("[{}]", fmt::join(one.extras, ","));
    requirements.push_back(one.name + extras + (one.version.empty() ? one.range : "==" + one.version));
    const auto build = one.index.empty() ? specs::pytorch_build(one.name, one.version) : one.index;
    if (!build.empty()) builds.insert(build);
  }
  return line_of(requirements, builds);
}

std::string install_line(const std::vector<std::string>& requirements) {
  std::set<std::string> builds;
  for (const auto& text : requirements) {
    const auto version = text.find("==");
    if (version == text.npos) continue;
    const auto build = specs::pytorch_build(text, text.substr(version + 2, text.find_first_of(" ,;", version) - version - 2));
    if (!build.empty()) builds.insert(build);
  }
  return line_of(requirements, builds);
}

}  // namespace stackx::advisor
