#include "resolver/meaning.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/error.hpp"

namespace stackx::resolver {
namespace {

// A range of another scheme than the version's says nothing about it, unless it is "*".
bool in_range(const specs::SpecifierSet& range, const specs::Version& version) {
  return range.is_any() || (range.scheme() == version.scheme() && range.contains(version));
}

}  // namespace

const specs::Version* held_version(const specs::Component& component,
                                   const specs::VersionEntry& entry, const std::string& name) {
  if (component.name == name) return &entry.version;
  const auto provided = entry.provides.find(name);
  return provided == entry.provides.end() ? nullptr : &provided->second;
}

bool meets(const specs::Component& component, const specs::VersionEntry& entry,
           const specs::Requirement& requirement) {
  const auto* version = held_version(component, entry, requirement.component);
  if (!version) return false;
  if (!requirement.attribute.empty()) return specs::holds(requirement, entry);
  return std::ranges::any_of(
      requirement.constraint.any, [&](const specs::Alternative& alternative) {
        return alternative.contains.empty() && in_range(alternative.range, *version);
      });
}

bool brings(const specs::Component& component, const specs::VersionEntry& entry,
            const specs::Requirement& requirement, bool alone) {
  if (entry.by_name == specs::ByName::no) return true;
  if (requirement.component != component.name || !requirement.attribute.empty()) return false;
  return std::ranges::any_of(requirement.constraint.any, [&](const specs::Alternative& alternative) {
    return in_range(alternative.range, entry.version) &&
           specs::brings(alternative.range, entry.version, entry.by_name, alone);
  });
}

const specs::VersionEntry& hardware_entry(const specs::Project& project,
                                          const specs::Catalog& catalog, const std::string& name) {
  const auto& wanted = project.hardware.at(name);
  const auto* component = catalog.find(name);
  if (!component)
    throw bad_input(
        fmt::format("{}: /hardware/{}: no catalog declares the component \"{}\"; name one "
                    "of kind hardware",
                    project.file.string(), name, name));
  if (const auto* entry = component->find(wanted)) return *entry;
  std::string known;
  for (const auto& entry : component->versions)
    known += (known.empty() ? "" : ", ") + entry.version.text();
  throw bad_input(fmt::format("{}: /hardware/{}: \"{}\" is no version of {}; known: {}",
                              project.file.string(), name, wanted, name, known));
}

}  // namespace stackx::resolver
