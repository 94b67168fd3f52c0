// How a package comes to be installed that nobody asked for: from what is asked for, by what each requires, down to it.
#pragma once

#include <string>
#include <vector>

#include "advisor/check/world/python_world.hpp"
#include "resolver/resolver.hpp"

namespace stackx::advisor {

// "you ask for vllm ==0.10.2" > "vllm 0.10.2 needs torch ==2.8.0" > "torch 2.8.0 is built for CPUs" (`so`). Nothing where it is asked for.
std::vector<resolver::Reason> brought_by(const PythonWorld& world, const specs::Stack& chosen, const std::string& name, const std::string& so);

}  // namespace stackx::advisor
