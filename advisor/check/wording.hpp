// Sentences about what does not install or run, as a person would say them.
#pragma once

#include <string>
#include <vector>

#include "advisor/check/world/python_world.hpp"
#include "resolver/resolver.hpp"

namespace stackx::advisor {

// "jax+cuda12" -> "jax[cuda12]"
std::string package_in_words(const std::string& component);

// Why the world has no stack, the most telling sentence first. `knowledge` says what builds are built for.
std::vector<std::string> reasons_in_words(const resolver::Unsolvable& why, const PythonWorld& world,
                                          const Question& question, const Knowledge& knowledge);

// The clash as a tree. The resolver speaks of projects and components; here somebody asks for packages.
std::vector<resolver::Reason> tree_in_words(std::vector<resolver::Reason> reasons);

}  // namespace stackx::advisor
