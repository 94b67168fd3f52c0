#include "campaigns/build_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "specs/catalog/gpu_build.hpp"

namespace stackx::campaigns {
namespace {

// Of all GPUs that the catalog knows.
std::vector<std::string> capabilities(const specs::Catalog& catalog) {
  std::set<std::string> found;
  if (const auto* gpu = catalog.find("gpu"))
    for (const auto& entry : gpu->versions)
      if (const auto at = entry.attributes.find("compute_capability"); at != entry.attributes.end())
        if (const auto* text = std::get_if<std::string>(&at->second)) found.insert(*text);
  return {found.begin(), found.end()};
}

const specs::Requirement* on_capability(const specs::VersionEntry& entry) {
  const auto found = std::ranges::find_if(entry.requires_, [](const auto& one) {
    return one.component == "gpu" && one.attribute == "compute_capability";
  });
  return found == entry.requires_.end() ? nullptr : &*found;
}

}  // namespace

std::optional<std::string> build_contradiction(const specs::Inspection& inspection, const specs::Catalog& catalog) {
  for (const auto& [component, version] : inspection.stack.components) {
    const auto stated = inspection.loaded.find(component + "-gpus");
    const auto* entry = catalog.find(component, version);
    const auto* requirement = entry ? on_capability(*entry) : nullptr;
    if (stated == inspection.loaded.end() || !requirement) continue;
    if (const auto wrong = specs::contradiction(specs::gpu_build_of(stated->second), requirement->constraint, capabilities(catalog)))
      return fmt::format("{} {} {}; its own list: {}", component, version, *wrong, stated->second);
  }
  return std::nullopt;
}

}  // namespace stackx::campaigns
