#include "specs/catalog/overlay.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/catalog/merge.hpp"
#include "specs/error.hpp"

namespace stackx::specs {
namespace {

void check_alike(const Component& known, const Component& added) {
  if (known.kind == added.kind && known.versioning == added.versioning) return;
  throw bad_input(fmt::format(
      "{}: /components/{}: is a {} with {} versions here, but a {} with {} versions in {}; an overlay keeps both",
      added.file, added.name, to_string(added.kind), to_string(added.versioning), to_string(known.kind),
      to_string(known.versioning), known.file));
}

void lay_over(Component& known, const Component& added) {
  check_alike(known, added);
  for (const auto& entry : added.versions) {
    const auto same = std::ranges::find(known.versions, entry.version, &VersionEntry::version);
    if (same != known.versions.end())
      *same = entry;
    else
      known.versions.push_back(entry);
  }
  known.open = known.open || added.open;
  if (!added.description.empty()) known.description = added.description;
  add_beside_versions(known, added);
}

bool on_compute_capability(const Requirement& requirement) {
  return requirement.component == "gpu" && requirement.attribute == "compute_capability";
}

void apply(VersionEntry& entry, const Fact& fact, const Catalog& catalog) {
  if (fact.built_for && fact.built_for->known() && !fact.built_for->for_cpus() && catalog.find("gpu")) {
    std::erase_if(entry.requires_, on_compute_capability);
    entry.requires_.push_back({"gpu", "compute_capability", fact.built_for->runs_on()});
  }
  for (const auto& [name, range] : fact.requires_) {
    const auto parsed = SpecifierSet::parse(range, Versioning::pep440);
    if (!parsed || !catalog.find(name)) continue;
    std::erase_if(entry.requires_, [&](const auto& one) { return one.component == name && one.attribute.empty(); });
    entry.requires_.push_back({name, "", {{{*parsed, {}}}, range}});
  }
}

std::map<std::string, std::string> aliases_of(const Catalog& catalog) {
  std::map<std::string, std::string> real;
  for (const auto& [name, component] : catalog.components)
    for (const auto& alias : component.aliases) {
      if (catalog.find(alias))
        throw bad_input(fmt::format("{}: /components/{}: the alias \"{}\" is a component of its own; leave it out",
                                    component.file, name, alias));
      const auto [other, fresh] = real.emplace(alias, name);
      if (!fresh && other->second != name)
        throw bad_input(fmt::format("{}: /components/{}: the alias \"{}\" is one of {} already; keep one",
                                    component.file, name, alias, other->second));
    }
  return real;
}

}  // namespace

void lay_over(Catalog& catalog, const Catalog& overlay) {
  for (const auto& [name, component] : overlay.components) {
    const auto [known, fresh] = catalog.components.emplace(name, component);
    if (!fresh) lay_over(known->second, component);
  }
}

Catalog part_for(const Catalog& catalog, Catalog overlay) {
  std::erase_if(overlay.components, [&](const auto& one) { return !catalog.find(one.first); });
  const auto unknown = [&](const Requirement& one) {
    return !catalog.find(catalog.real_name(one.component)) && !catalog.is_virtual(one.component);
  };
  for (auto& [name, component] : overlay.components)
    std::erase_if(component.versions, [&](const VersionEntry& entry) { return std::ranges::any_of(entry.requires_, unknown); });
  return overlay;
}

void apply_facts(Catalog& catalog, const std::vector<Fact>& facts) {
  for (const auto& fact : facts) {
    const auto found = catalog.components.find(fact.of);
    if (found == catalog.components.end() || !fact.extra.empty() || !fact.machine.empty()) continue;
    for (auto& entry : found->second.versions)
      if (entry.version.scheme() == Versioning::pep440 && fact.is_about(entry.version)) apply(entry, fact, catalog);
  }
}

void resolve_aliases(Catalog& catalog) {
  const auto real = aliases_of(catalog);
  if (real.empty()) return;
  const auto rename = [&](std::vector<Requirement>& requirements) {
    for (auto& requirement : requirements)
      if (const auto found = real.find(requirement.component); found != real.end())
        requirement.component = found->second;
  };
  for (auto& [name, component] : catalog.components)
    for (auto& entry : component.versions) {
      rename(entry.requires_);
      rename(entry.conflicts);
      for (auto& conditional : entry.requires_if) rename(conditional.if_), rename(conditional.then);
    }
}

}  // namespace stackx::specs
