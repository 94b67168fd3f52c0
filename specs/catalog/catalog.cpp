#include "specs/catalog/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/format/nearest.hpp"

namespace stackx::specs {
namespace {

// Everything a requirement may name, and what each version of it offers.
struct Known {
  const Catalog& catalog;
  const std::set<std::string>& expected;
  std::set<std::string> provided;

  bool component(const std::string& name) const {
    return catalog.find(name) || provided.contains(name) || expected.contains(name);
  }
  std::vector<std::string> names() const {
    std::set<std::string> all(provided);
    all.insert(expected.begin(), expected.end());
    for (const auto& [name, component] : catalog.components) all.insert(name);
    return {all.begin(), all.end()};
  }
};

std::set<std::string> provided_names(const Catalog& catalog) {
  std::set<std::string> names;
  for (const auto& [name, component] : catalog.components)
    for (const auto& entry : component.versions)
      for (const auto& [virtual_name, version] : entry.provides) names.insert(virtual_name);
  return names;
}

void check_provides(const Catalog& catalog, const Component& component, const VersionEntry& entry,
                    const std::string& place) {
  for (const auto& [name, version] : entry.provides) {
    if (!catalog.find(name)) continue;
    throw bad_input(fmt::format(
        "{}: provides \"{}\", which is itself declared as a component; a virtual component "
        "exists only through its providers: rename one{}",
        place, name, name == component.name ? " (or leave it out: it provides itself)" : ""));
  }
}

// A hardware component's attributes may come from the machine at hand, later.
void check_attribute(const Known& known, const Requirement& requirement, const std::string& place) {
  const Component* component = known.catalog.find(requirement.component);
  if (!component) {
    if (known.expected.contains(requirement.component)) return;
    throw bad_input(fmt::format("{}: \"{}\": a virtual component has no attributes", place,
                                requirement.text()));
  }
  if (component->kind == Kind::hardware) return;
  std::vector<std::string> names;
  for (const auto& entry : component->versions)
    for (const auto& [name, attribute] : entry.attributes) names.push_back(name);
  if (std::find(names.begin(), names.end(), requirement.attribute) != names.end()) return;
  throw bad_input(fmt::format("{}: \"{}\": no version of {} has the attribute \"{}\"{}", place,
                              requirement.text(), requirement.component, requirement.attribute,
                              suggestion(requirement.attribute, names)));
}

void check_requirement(const Known& known, const Requirement& requirement,
                       const std::string& place) {
  if (!known.component(requirement.component))
    throw bad_input(fmt::format("{}: requires \"{}\", but no catalog declares or provides \"{}\"{}",
                                place, requirement.text(), requirement.component,
                                suggestion(requirement.component, known.names())));
  if (!requirement.attribute.empty()) check_attribute(known, requirement, place);
}

}  // namespace

const VersionEntry* Component::find(std::string_view version) const {
  const auto by_text = std::find_if(versions.begin(), versions.end(), [&](const auto& entry) {
    return entry.version.text() == version;
  });
  if (by_text != versions.end()) return &*by_text;
  const auto parsed = Version::parse(version, versioning);
  if (!parsed) return nullptr;
  const auto equal = std::find_if(versions.begin(), versions.end(),
                                  [&](const auto& entry) { return entry.version == *parsed; });
  return equal == versions.end() ? nullptr : &*equal;
}

const Component* Catalog::find(std::string_view name) const {
  const auto found = components.find(std::string(name));
  return found == components.end() ? nullptr : &found->second;
}

const VersionEntry* Catalog::find(std::string_view component, std::string_view version) const {
  const auto* declared = find(component);
  return declared == nullptr ? nullptr : declared->find(version);
}

std::vector<const Component*> Catalog::providers(std::string_view name) const {
  const std::string key(name);
  std::vector<const Component*> result;
  for (const auto& [_, component] : components)
    if (std::any_of(component.versions.begin(), component.versions.end(),
                    [&](const auto& entry) { return entry.provides.contains(key); }))
      result.push_back(&component);
  return result;
}

std::string Catalog::real_name(const std::string& name) const {
  if (find(name)) return name;
  for (const auto& [key, component] : components)
    if (std::ranges::find(component.aliases, name) != component.aliases.end()) return key;
  return name;
}

bool Catalog::is_virtual(std::string_view name) const {
  return !find(name) && !providers(name).empty();
}

void check(const Catalog& catalog, const std::string& where,
           const std::set<std::string>& expected) {
  const Known known{catalog, expected, provided_names(catalog)};
  for (const auto& [name, component] : catalog.components)
    for (const auto& entry : component.versions) {
      const std::string place = fmt::format(
          "{}: {} {}", component.file.empty() ? where : component.file, name, entry.version.text());
      check_provides(catalog, component, entry, place);
      for (const auto& requirement : entry.requires_) check_requirement(known, requirement, place);
      for (const auto& conditional : entry.requires_if)
        for (const auto& requirement : conditional.then)
          check_requirement(known, requirement, place);
    }
}

bool holds(const Requirement& requirement, const VersionEntry& entry) {
  if (requirement.attribute.empty()) return holds(requirement.constraint, entry.version);
  const auto found = entry.attributes.find(requirement.attribute);
  return found != entry.attributes.end() && holds(requirement.constraint, found->second);
}

const char* to_string(Kind kind) {
  switch (kind) {
    case Kind::hardware:
      return "hardware";
    case Kind::driver:
      return "driver";
    case Kind::runtime:
      return "runtime";
    case Kind::package:
      return "package";
    case Kind::image:
      return "image";
    case Kind::setting:
      return "setting";
  }
  return "?";
}

const char* to_string(ArtifactType type) {
  switch (type) {
    case ArtifactType::wheel:
      return "wheel";
    case ArtifactType::sdist:
      return "sdist";
    case ArtifactType::system:
      return "system";
    case ArtifactType::debootstrap:
      return "debootstrap";
    case ArtifactType::oci:
      return "oci";
    case ArtifactType::path:
      return "path";
  }
  return "?";
}

}  // namespace stackx::specs
