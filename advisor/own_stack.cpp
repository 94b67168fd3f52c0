#include "advisor/own_stack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "specs/error.hpp"
#include "specs/format/nearest.hpp"
#include "specs/python/lock_file.hpp"
#include "specs/python/package_list.hpp"
#include "specs/python/project.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> sold_as{{
    {"tensorflow-gpu", "tensorflow"},
    {"tensorflow-cpu", "tensorflow"},
    {"pytorch", "torch"},
    {"nvidia-cudnn", "cudnn"},
    {"nvidia-nccl", "nccl"},
    {"nvidia-cuda-runtime", "cuda"},
}};

// "nvidia-cudnn-cu12" -> "nvidia-cudnn"
std::string without_cuda_suffix(const std::string& package) {
  const auto at = package.rfind("-cu");
  if (at == std::string::npos || at + 3 == package.size()) return package;
  const bool digits = package.find_first_not_of("0123456789", at + 3) == std::string::npos;
  return digits ? package.substr(0, at) : package;
}

specs::Requirement requirement(const std::string& component,
                               const specs::PlacedDependency& placed) {
  specs::Requirement result;
  result.component = component;
  result.constraint.any = {{placed.dependency.versions, {}}};
  result.constraint.text = placed.dependency.versions.text();
  return result;
}

specs::MarkerEnvironment environment_of(const specs::Catalog& catalog,
                                        const specs::PythonContext& context) {
  std::string python = context.python;
  if (const auto* known = catalog.find("python"); python.empty() && known)
    python = std::ranges::max(known->versions, {}, [](const auto& entry) {
               return std::string(entry.version.key());
             }).version.text();
  if (python.empty()) python = "3.11";
  return specs::MarkerEnvironment::for_python(python, context.platform);
}

bool has_prefix(const std::string& version, const std::string& prefix) {
  return version.starts_with(prefix) && (version.size() == prefix.size() || version[prefix.size()] == '.');
}

// How the catalog writes what the index sells under this version: its build on the default index for 2.4.1 (2.4.1+cu121,
// the one with files; of jax the one for CUDA 12), 9.1.0 for 9.1.0.70. The text itself where it has neither.
std::string catalog_version(const specs::Component& component, const std::string& version) {
  if (component.find(version)) return version;
  const specs::VersionEntry* build = nullptr;
  for (const auto& entry : component.versions) {
    const auto& text = entry.version.text();
    if (!specs::is_local(text) || specs::public_version(text) != version) continue;
    const bool better = !build || (build->artifacts.empty() && !entry.artifacts.empty()) || text.ends_with("+cuda12");
    if (better) build = &entry;
  }
  if (build) return build->version.text();
  std::string longest;
  for (const auto& entry : component.versions)
    if (const auto& text = entry.version.text(); has_prefix(version, text) && text.size() > longest.size()) longest = text;
  return longest.empty() || longest.find('.') == std::string::npos ? version : longest;
}

// Before 2.1 the package tensorflow is for CPUs, and the catalog's files are those of tensorflow-gpu.
bool is_for_cpus(const std::string& package, const specs::Component& component, const std::string& version) {
  const auto* entry = component.find(version);
  return entry && package == component.name && !entry->artifacts.empty() &&
         std::ranges::all_of(entry->artifacts, [&](const auto& file) { return file.package == package + "-gpu"; });
}

std::vector<std::string> packages_of(const specs::Catalog& catalog) {
  std::vector<std::string> names;
  for (const auto& [name, component] : catalog.components)
    if (component.kind == specs::Kind::package) names.push_back(name);
  return names;
}

// "torhc" -> "torhc (did you mean torch?)": a slip in a name would leave it out silently.
std::string with_what_is_meant(const std::string& package, const specs::Catalog& catalog) {
  const auto near = specs::nearest(package, packages_of(catalog));
  const std::size_t slip = package.size() < 8 ? 1 : 2;
  const bool misspelt = near && package.size() > 3 && specs::edit_distance(package, *near) <= slip;
  return misspelt ? fmt::format("{} (did you mean {}?)", package, *near) : package;
}

// What is for all platforms is enough for an answer, not to install from.
specs::Lock read_lock(const std::filesystem::path& file, const specs::PythonContext& context) {
  const auto& python = context.python;
  if (!specs::is_for_all_platforms(file)) return specs::load_lock(file, python);
  specs::Lock lock;
  lock.file = file;
  lock.python = python;
  const auto usual = python.empty() ? std::string("3.12") : python;
  const auto environment = specs::MarkerEnvironment::for_python(usual, "linux x86_64");
  for (const auto& placed : specs::read_package_list(file, context, usual).dependencies)
    if (placed.dependency.holds(environment)) lock.components[placed.dependency.name] = specs::single_version(placed.dependency.versions);
  return lock;
}

}  // namespace

std::string component_of_package(const std::string& package) {
  const std::string plain = without_cuda_suffix(package);
  for (const auto& [sold, component] : sold_as)
    if (plain == sold) return std::string(component);
  return package;
}

OwnStack read_own_stack(const std::filesystem::path& lock, const specs::PythonContext& context,
                        const specs::Catalog& catalog) {
  const auto read = read_lock(lock, context);
  OwnStack own{lock, {}, {}};
  for (const auto& [package, version] : read.components) {
    const auto component = component_of_package(package);
    const auto* known = catalog.find(component);
    if (known && !is_for_cpus(package, *known, version))
      own.named.components[component] = catalog_version(*known, version);
    else
      own.unknown.push_back(known ? package + " (for CPUs)" : with_what_is_meant(package, catalog));
  }
  if (const auto* known = catalog.find("python"); known && !read.python.empty())
    own.named.components.emplace("python", read.python);
  return own;
}

std::vector<std::string> add_wishes(specs::Project& project, const specs::Catalog& catalog,
                                    const std::filesystem::path& file,
                                    const specs::PythonContext& context) {
  std::vector<std::string> elsewhere;  // what comes from no index: the question names it as left out
  const auto wishes = specs::read_python_project(file, context, &elsewhere);
  const auto environment = environment_of(catalog, context);
  if (!wishes.dependencies.empty()) specs::check_something_asked(wishes, environment);
  std::vector<std::string> unknown;
  const auto take = [&](const specs::PlacedDependency& placed) {
    const auto component = component_of_package(placed.dependency.name);
    const auto* declared = catalog.find(component);
    if (!declared || declared->versioning != specs::Versioning::pep440)
      return unknown.push_back(with_what_is_meant(placed.dependency.name, catalog));
    project.requires_.push_back(requirement(component, placed));
  };
  for (const auto& placed : wishes.dependencies)
    if (specs::applies(placed, environment)) take(placed);
  if (wishes.python) take(*wishes.python);
  project.name = wishes.name;
  return unknown;
}

}  // namespace stackx::advisor
