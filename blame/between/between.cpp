#include "blame/between/between.hpp"

#include <set>

namespace stackx::blame {

specs::Stack Between::stack(const std::vector<bool>& is_new) const {
  specs::Stack result;
  for (const auto& [name, component] : catalog.components) result.components[name] = component.versions.front().version.text();
  for (const auto& [name, version] : project.hardware) result.components[name] = version;
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (const auto which : groups[i].changes) {
      const auto& change = changes[which];
      if (const auto& version = change.version(is_new.at(i)); version.empty())
        result.components.erase(change.component);
      else
        result.components[change.component] = version;
    }
  return result;
}

}  // namespace stackx::blame
