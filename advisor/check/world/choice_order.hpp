// In which order an installer comes to what was asked for.
#pragma once

#include "advisor/check/world/python_world.hpp"

namespace stackx::advisor {

// What is asked for and required by another that is asked for comes after it: pip goes back on the newest torch where
// the vllm that it comes to later pins another, whichever of the two was named first.
void requirers_first(PythonWorld& world, const std::set<std::string>& asked);

}  // namespace stackx::advisor
