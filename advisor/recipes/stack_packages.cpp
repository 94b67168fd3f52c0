#include "advisor/recipes/stack_packages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "specs/error.hpp"
#include "specs/format/names.hpp"
#include "specs/format/text_file.hpp"
#include "specs/version/specifier.hpp"

namespace stackx::advisor {
namespace {

bool is_file(const specs::Artifact& artifact) {
  return artifact.type == specs::ArtifactType::wheel || artifact.type == specs::ArtifactType::sdist;
}

bool is_python_package(const specs::Component& component, const specs::VersionEntry& entry) {
  return component.kind == specs::Kind::package &&
         (component.ecosystem == "pypi" || std::ranges::any_of(entry.artifacts, is_file));
}

void add(StackPackages& packages, const specs::Component& component,
         const specs::VersionEntry& entry, bool root) {
  bool any = false;
  for (const auto& artifact : entry.artifacts) {
    if (!is_file(artifact)) continue;
    auto& package = packages[artifact.package.empty() ? component.name : artifact.package];
    package.version =
        artifact.package_version.empty() ? entry.version.text() : artifact.package_version;
    package.files.push_back(artifact);
    package.root |= root;
    any = true;
  }
  if (any) return;
  packages[component.name].version = entry.version.text();
  packages[component.name].root |= root;
}

}  // namespace

std::set<std::string> StackPackage::hashes() const {
  std::set<std::string> result;
  for (const auto& file : files) result.insert("sha256:" + file.sha256);
  return result;
}

std::string StackPackage::versions() const { return version.empty() ? range : "==" + version; }

StackPackages stack_packages(const specs::Stack& stack, const specs::Catalog& catalog,
                             const std::set<std::string>& roots) {
  StackPackages packages;
  for (const auto& [name, version] : stack.components) {
    const auto* component = catalog.find(name);
    const auto* entry = component ? component->find(version) : nullptr;
    if (!entry) continue;
    if (const auto plus = name.find('+'); plus != name.npos) {  // requests+security
      auto& package = packages[name.substr(0, plus)];
      package.extras.insert(name.substr(plus + 1));
      package.root |= roots.contains(name);
    } else if (is_python_package(*component, *entry)) {
      add(packages, *component, *entry, roots.contains(name));
    }
  }
  std::erase_if(packages, [](const auto& one) { return one.second.version.empty(); });
  const bool rooted =
      std::ranges::any_of(packages, [](const auto& one) { return one.second.root; });
  for (auto& [name, package] : packages) package.root |= !rooted;  // roots are virtual: name all
  return packages;
}

std::string requirement_text(const std::string& name, const StackPackage& package) {
  const auto extras = package.extras.empty() ? "" : fmt::format("[{}]", fmt::join(package.extras, ","));
  return name + extras + package.versions();
}

void check_python_name(const std::string& name) {
  if (specs::is_python_package_name(name)) return;
  throw bad_input(fmt::format(
      "{} is no name of a Python package (letters, digits, '.', '_', '-'): no file for Python's "
      "tools can hold it; correct the catalog or choose another --format",
      specs::in_quotes(name)));
}

void check_python_version(const std::string& name, const std::string& version) {
  if (specs::Version::parse(version, specs::Versioning::pep440)) return;
  throw bad_input(fmt::format(
      "{} {} is no version of a Python package (PEP 440): no file for Python's tools can hold it; "
      "correct the catalog or choose another --format",
      name, specs::in_quotes(version)));
}

void check_python_versions(const std::string& name, const StackPackage& package) {
  if (!package.version.empty()) return check_python_version(name, package.version);
  if (package.range.empty() || specs::SpecifierSet::parse(package.range, specs::Versioning::pep440)) return;
  throw bad_input(fmt::format("{} {} is no range of versions (PEP 440): no file for Python's tools can hold it", name, specs::in_quotes(package.range)));
}

}  // namespace stackx::advisor
