// The Python side of an environment: the interpreter, the wheels that the stack names and those that these require.
#include <fmt/format.h>

#include <algorithm>

#include "inspector/environment/environment.hpp"

namespace stackx::inspector {

namespace fs = std::filesystem;
using specs::ArtifactType;

// A package of Python of which the catalog names no file, or one of NVIDIA's libraries that come as such.
bool Environments::is_left_to_the_index(const Selected& selected) {
  const auto& [component, entry] = selected;
  const bool of_python = comes_as_wheels(component->name) || component->ecosystem == "pypi";
  return component->kind == specs::Kind::package && of_python && entry->artifacts.empty();
}

Environments::Done Environments::find_python(StackEnvironment& result,
                                             const std::vector<Selected>& selected) {
  const specs::VersionEntry* wanted = nullptr;
  for (const auto& [component, entry] : selected) {
    if (component->name == "python") wanted = entry;
    for (const auto& artifact : entry->artifacts) {
      if (artifact.type != ArtifactType::path || artifact.program.empty() || !pythons_) continue;
      if (result.image)
        return unsupported(fmt::format("{} {}: an interpreter of this machine does not run in an image",
                                       component->name, entry->version.text()));
      // Of two, the last by name: `python-environment`, which holds the stack's packages, after `python`.
      auto runtime = pythons_->local_program(artifact.program);
      if (!runtime) return cannot(runtime.error());
      result.python = std::move(*runtime);
    }
  }
  if (wanted == nullptr || !pythons_) return {};
  if (!result.python && result.image)
    return unsupported(fmt::format("python {}: the base image brings no interpreter; name it as "
                                   "\"program\" of one of its artifacts", wanted->version.text()));
  if (!result.python) {
    auto runtime = pythons_->local(wanted->version.text());
    if (!runtime) return cannot(runtime.error());
    result.python = std::move(*runtime);
  }
  if (!is_release(result.python->version, wanted->version.text()))
    return unsupported(fmt::format("python {}: {} is Python {}", wanted->version.text(),
                                   result.python->program.string(), result.python->version));
  return {};
}

// After add() has made the parts, in the same order.
Environments::Done Environments::install_wheels(StackEnvironment& result,
                                                const std::vector<Selected>& selected,
                                                const Say& say) {
  const PythonPlace place{*result.python, result.image ? result.image->id : ""};
  std::vector<Wheel> wheels;
  std::vector<NamedWheel> packages;
  std::vector<std::size_t> owners;  // parts, which adding to them moves
  wheels.reserve(selected.size());  // packages point to them
  for (std::size_t i = 0; i < selected.size(); ++i) {
    auto installed = pythons_->install(*selected[i].component, *selected[i].entry, place, say);
    if (!installed) return cannot(installed.error());
    if (!*installed && is_left_to_the_index(selected[i]))
      packages.push_back({nullptr, result.parts[i].component, result.parts[i].version});
    if (!*installed) continue;
    const auto& [wheel, artifact] = **installed;
    result.artifacts[artifact->file] = artifact->sha256;
    result.parts[i].shared_objects = wheel.shared_objects;
    result.parts[i].directories = {wheel.directory};
    // "2.6.0+cu124" of a catalog is a wheel that says 2.6.0.
    if (result.parts[i].reports.empty() && artifact->package.empty()) result.parts[i].reports = artifact->package_version;
    owners.push_back(i);
    wheels.push_back(wheel);
    packages.push_back({&wheels.back(), result.parts[i].component, result.parts[i].version});
  }
  result.visible.insert(result.visible.end(), result.python->needs.begin(),
                        result.python->needs.end());
  // Of an interpreter that a catalog names, without files: what lies beside it is meant.
  if (packages.empty() || (wheels.empty() && !result.python->origin.empty())) return {};
  auto added = pythons_->complete(packages, place, say);
  if (!added) return cannot(added.error());
  for (auto& [chosen, wheel] : *added) {
    result.artifacts[chosen.artifact.file] = chosen.artifact.sha256;
    auto part = std::ranges::find(result.parts, chosen.package, &Part::component);
    if (part == result.parts.end()) {
      result.parts.emplace_back();
      part = std::prev(result.parts.end());
      part->component = chosen.package, part->version = chosen.version;
    }
    part->shared_objects = wheel.shared_objects;
    part->directories = {wheel.directory};
    owners.push_back(static_cast<std::size_t>(part - result.parts.begin()));
    wheels.push_back(std::move(wheel));
  }
  if (wheels.empty()) return {};
  const auto site = pythons_->tree(wheels, say);
  if (!site) return cannot(site.error());
  result.site = *site;
  result.visible.push_back(*site);
  for (const auto owner : owners) result.parts[owner].directories.push_back(*site);
  return {};
}

}  // namespace stackx::inspector
