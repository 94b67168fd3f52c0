#include "advisor/check/unbrought.hpp"

#include <algorithm>

#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

// By the metadata of anything that is chosen: of "jax+cuda12" what the extra asks for.
bool is_brought(const Knowledge& knowledge, const specs::Stack& chosen, const std::string& other) {
  return std::ranges::any_of(chosen.components, [&](const auto& one) {
    const auto name = one.first.substr(0, one.first.find('+'));
    const auto* package = knowledge.package(name);
    const auto* release = package ? package->find(specs::pep440_version(one.second)) : nullptr;
    if (!release || !release->requires_) return false;
    return std::ranges::any_of(*release->requires_, [&](const auto& text) {
      const auto dependency = specs::parse_dependency(text);
      if (!dependency || knowledge.real_name(dependency->name) != other) return false;
      return !dependency->is_of_an_extra() || one.first != name;
    });
  });
}

}  // namespace

std::vector<Unbrought> unbrought(const Knowledge& knowledge, const std::vector<specs::PlacedDependency>& asked, const specs::Stack& chosen) {
  const auto is_asked = [&](const std::string& name) {
    return std::ranges::any_of(asked, [&](const auto& placed) { return knowledge.real_name(placed.dependency.name) == name; });
  };
  std::vector<Unbrought> result;
  for (const auto& [name, version] : chosen.components) {
    const auto* package = name.find('+') != name.npos || specs::is_local(version) ? nullptr : knowledge.package(name);
    const auto* release = package ? package->find(specs::pep440_version(version)) : nullptr;
    if (!release || !release->requires_) continue;  // of metadata that nobody read an installer may know more
    for (const auto& [other, range] : knowledge.about(name, specs::pep440_version(version)).requires_)
      if (const auto found = chosen.components.find(other); found != chosen.components.end() && !is_asked(other) && !is_brought(knowledge, chosen, other))
        result.push_back({name, other, found->second});
  }
  return result;
}

}  // namespace stackx::advisor
