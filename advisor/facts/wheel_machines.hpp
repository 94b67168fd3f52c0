// Which machines wheels are for, by the end of their platforms: "manylinux_2_28_x86_64".
#pragma once

#include <string>
#include <vector>

#include "specs/python/distribution_file.hpp"

namespace stackx::advisor {

// One of these by name: what is for any machine is for none of them.
bool is_for_machine(const specs::WheelTags& tags, const std::vector<std::string>& machines);
// Leaves those, and what is for any.
void keep_machines(std::vector<specs::WheelTags>& wheels, const std::vector<std::string>& machines);

}  // namespace stackx::advisor
