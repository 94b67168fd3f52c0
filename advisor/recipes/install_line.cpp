#include "advisor/recipes/install_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "advisor/recipes/quoting.hpp"
#include "specs/python/build_index.hpp"
#include "specs/python/pep508.hpp"

namespace stackx::advisor {
namespace {

using Compiled = std::map<std::string, std::vector<std::string>>;  // beside which packages one is compiled, by its name

// "jax[cuda11-pip]==0.4.24" -> "cuda11-pip"; of what has none "".
std::vector<std::string> extras_in(const std::string& requirement) {
  const auto dependency = specs::parse_dependency(requirement);
  if (!dependency || dependency->extras.empty()) return {""};
  return {dependency->extras.begin(), dependency->extras.end()};
}

// The commands, to be typed in this order: one, or two where something is compiled.
std::vector<std::string> commands(const std::vector<std::string>& requirements, const Compiled& compiled,
                                  const std::vector<std::string>& more_indexes = {}) {
  std::vector<std::string> first, then;
  std::set<std::string> named;
  std::set<specs::BuildIndex> indexes;
  std::set<std::string> links;
  for (const auto& text : requirements) {
    const auto name = text.substr(0, text.find_first_of("[=<>!~ ;"));
    named.insert(name);
    (compiled.contains(name) ? then : first).push_back(text);
    const auto version = text.find("==");
    const auto pinned = version == text.npos ? "" : text.substr(version + 2, text.find_first_of(" ,;", version) - version - 2);
    if (const auto index = specs::build_index(name, pinned)) indexes.insert(*index);
    for (const auto& extra : extras_in(text)) links.insert(specs::links_page(name, extra, pinned));
  }
  for (const auto& url : more_indexes)
    if (std::ranges::find(indexes, url, &specs::BuildIndex::url) == indexes.end()) indexes.insert({"", url});
  for (const auto& [name, beside] : compiled)
    for (const auto& needed : beside)
      if (named.insert(needed).second) first.push_back(needed);
  std::vector<std::string> lines;
  for (const auto& [command, packages] : {std::pair{"pip install", first}, {"pip install --no-build-isolation", then}}) {
    if (packages.empty()) continue;
    auto& line = lines.emplace_back(command);
    for (const auto& text : packages) line += " " + shell_word(text);
    for (const auto& index : indexes) line += " --extra-index-url " + index.url;
    for (const auto& page : links)
      if (!page.empty()) line += " -f " + page;
  }
  return lines;
}

std::vector<std::string> commands(const Pinned& pinned) {
  std::vector<std::string> requirements;
  Compiled compiled;
  for (const auto& one : pinned.packages) {
    if (one.implied) continue;
    const auto extras = one.extras.empty() ? "" : fmt::format("[{}]", fmt::join(one.extras, ","));
    requirements.push_back(one.name + extras + (one.version.empty() ? one.range : "==" + one.version));
    if (one.compiled()) compiled[one.name] = one.compiled_beside;
  }
  return commands(requirements, compiled);
}

}  // namespace

std::string install_line(const Pinned& pinned) { return fmt::format("{}", fmt::join(commands(pinned), " && ")); }

std::string install_first(const Pinned& pinned) { return commands(pinned).front(); }

std::string install_line(const std::vector<std::string>& requirements, const std::map<std::string, std::vector<std::string>>& compiled,
                         const std::vector<std::string>& indexes) {
  return fmt::format("{}", fmt::join(commands(requirements, compiled, indexes), " && "));
}

}  // namespace stackx::advisor
