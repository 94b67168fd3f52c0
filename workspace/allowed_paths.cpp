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

std::set<specs::Json> allowed_entries() {
  std::set<specs::Json> result;
  std::ifstream stream(list_file());
  for (std::string line; std::getline(stream, line);)
    if (auto entry = specs::Json::parse(line, nullptr, false); !entry.is_discarded()) result.insert(std::move(entry));
  return result;
}

// In one piece: another stackx may be appending. False if it cannot be written.
bool append_entries(const std::vector<specs::Json>& entries) {
  const auto known = allowed_entries();
  std::string lines;
  for (const auto& entry : entries)
    if (!known.contains(entry)) lines += entry.dump() + "\n";
  if (lines.empty()) return true;
  std::error_code ignored;
  fs::create_directories(list_file().parent_path(), ignored);
  std::ofstream stream(list_file(), std::ios::app);
  stream << lines;
  stream.close();
  return stream.good();
}

std::vector<std::string> without_allowed(std::vector<std::string> names) {
  if (names.empty()) return names;
  const auto known = allowed_entries();
  std::erase_if(names, [&](const std::string& name) { return known.contains(name); });
  return names;
}

void ask_for(std::vector<std::string> names, bool consent, const char* what, const char* why) {
  if (names.empty()) return;
  if (consent) return allow(names);
  constexpr std::size_t shown = 4;
  const auto more = names.size() - std::min(names.size(), shown);
  names.resize(std::min(names.size(), shown));
  throw bad_input(fmt::format("the catalog names {}: {}{}; {}. If you know where the catalog is from, allow them: "
                              "--allow-paths (asked once for each)",
                              what, fmt::join(names, ", "), more == 0 ? "" : fmt::format(" and {} more", more), why));
}

// The image that the stack runs in, if packages go into it that its own apt-get installs; "" if not.
std::string image_with_packages(const specs::Catalog& catalog, const specs::Stack& stack) {
  std::string image;
  bool packages = false;
  for (const auto& [name, version] : stack.components) {
    const auto* entry = catalog.find(name, version);
    if (entry == nullptr) continue;
    for (const auto& artifact : entry->artifacts) {
      if (artifact.type == specs::ArtifactType::oci) image = artifact.file;
      packages = packages || artifact.type == specs::ArtifactType::system;
    }
  }
  return packages ? image : "";
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

std::vector<std::string> not_allowed(const specs::Catalog& catalog) { return without_allowed(named_paths(catalog)); }

void allow(const std::vector<std::string>& paths) {
  if (!append_entries(std::vector<specs::Json>(paths.begin(), paths.end())))
    throw broken_environment(list_file().string() + ": cannot be written; is there space left?");
}

void require_consent(const specs::Catalog& catalog, bool consent) {
  ask_for(not_allowed(catalog), consent,
          "programs and files of this machine that `stackx catalog discover` did not find here",
          "they would be run, and shown to what is measured");
}

void require_consent(const specs::Catalog& catalog, const std::vector<specs::Stack>& stacks, bool consent) {
  std::set<std::string> images;
  for (const auto& stack : stacks)
    if (const auto image = image_with_packages(catalog, stack); !image.empty()) images.insert(image);
  ask_for(without_allowed({images.begin(), images.end()}), consent, "images into which system packages are to go",
          "their own apt-get would be run, with your network and proxies and no limits but its time");
}

void allow_program(const specs::PiProgram& program) { append_entries({specs::to_json(program)}); }

bool is_allowed(const specs::PiProgram& program) { return allowed_entries().contains(specs::to_json(program)); }

}  // namespace stackx::workspace
