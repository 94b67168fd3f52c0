// Input: a catalog.
#include "specs/catalog/catalog.hpp"
#include "tests/fuzz/documents.hpp"

using namespace stackx::specs;
using namespace stackx::fuzz;

namespace {

void check_entry(const Catalog& catalog, const Component& component, const VersionEntry& entry) {
  const VersionEntry* found = component.find(entry.version.text());
  require(found == &entry, "a version is found by its text");
  require(component.find(entry.version.normal()) == &entry ||
              component.versioning == Versioning::opaque,
          "a version is found by its normal form");
  for (const auto& requirement : entry.requires_) {
    require(!requirement.constraint.any.empty(), "a constraint has an alternative");
    require(!requirement.constraint.text.empty(), "a constraint has a text");
    const Component* other = catalog.find(requirement.component);
    if (!other) continue;
    for (const auto& candidate : other->versions) {
      const bool now = holds(requirement, candidate);
      require(now == holds(requirement, candidate), "whether a requirement holds is decided");
    }
  }
  for (const auto& [name, version] : entry.provides)
    require(!catalog.providers(name).empty(), "what is provided has a provider");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = parse(data, size);
  if (!document) return 0;
  const auto catalog = attempt([&] { return parse_catalog(*document); });
  if (!catalog) return 0;
  for (const auto& [name, component] : catalog->components) {
    require(name == component.name, "a component is listed under its name");
    for (const auto& entry : component.versions) check_entry(*catalog, component, entry);
  }
  attempt([&] { return check(*catalog, "fuzz.json"), 0; });
  return 0;
}
