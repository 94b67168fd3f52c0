#include "workspace/allowed_paths.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "inspector/paths.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"

namespace stackx::workspace {
namespace {

namespace fs = std::filesystem;

fs::path list_file() { return inspector::data_directory() / "allowed-paths"; }

std::set<std::string> allowed() {
  std::set<std::string> result;
  std::ifstream stream(list_file());
  for (std::string line; std::getline(stream, line);)
    if (const auto path = specs::Json::parse(line, nullptr, false); path.is_string()) result.insert(path.get<std::string>());
  return result;
}

}  // namespace

std::vector<std::string> named_paths(const specs::Catalog& catalog) {
  std::set<std::string> result;
  for (const auto& [name, component] : catalog.components)
    for (const auto& entry : component.versions)
      for (const auto& artifact : entry.artifacts) {
        if (artifact.type != specs::ArtifactType::path) continue;
        for (const auto& path : {artifact.file, artifact.library, artifact.program})
          if (!path.empty()) result.insert(path);
      }
  return {result.begin(), result.end()};
}

std::vector<std::string> not_allowed(const specs::Catalog& catalog) {
  auto result = named_paths(catalog);
  if (result.empty()) return result;
  const auto known = allowed();
  std::erase_if(result, [&](const std::string& path) { return known.contains(path); });
  return result;
}

void allow(const std::vector<std::string>& paths) {
  const auto known = allowed();
  std::string lines;
  for (const auto& path : paths)
    if (!known.contains(path)) lines += specs::Json(path).dump() + "\n";
  if (lines.empty()) return;
  std::error_code ignored;
  fs::create_directories(list_file().parent_path(), ignored);
  std::ofstream stream(list_file(), std::ios::app);
  stream << lines;  // in one piece: another stackx may be appending
  stream.close();
  if (!stream) throw broken_environment(list_file().string() + ": cannot be written; is there space left?");
}

void require_consent(const specs::Catalog& catalog, bool consent) {
  auto paths = not_allowed(catalog);
  if (paths.empty()) return;
  if (consent) return allow(paths);
  constexpr std::size_t shown = 4;
  const auto more = paths.size() - std::min(paths.size(), shown);
  paths.resize(std::min(paths.size(), shown));
  throw bad_input(fmt::format(
      "the catalog names programs and files of this machine that `stackx catalog discover` did not find here: {}{}; "
      "they would be run, and shown to what is measured. If you know where the catalog is from, allow them: "
      "--allow-paths (asked once for each)",
      fmt::join(paths, ", "), more == 0 ? "" : fmt::format(" and {} more", more)));
}

}  // namespace stackx::workspace
