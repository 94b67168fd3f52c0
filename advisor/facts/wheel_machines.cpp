#include "advisor/facts/wheel_machines.hpp"

#include <algorithm>

namespace stackx::advisor {

bool is_for_machine(const specs::WheelTags& tags, const std::vector<std::string>& machines) {
  return std::ranges::any_of(tags.platforms, [&](const std::string& platform) {
    return std::ranges::any_of(machines, [&](const auto& machine) { return platform.ends_with(machine); });
  });
}

void keep_machines(std::vector<specs::WheelTags>& wheels, const std::vector<std::string>& machines) {
  std::erase_if(wheels, [&](const auto& tags) {
    return !is_for_machine(tags, machines) && std::ranges::find(tags.platforms, "any") == tags.platforms.end();
  });
}

}  // namespace stackx::advisor
