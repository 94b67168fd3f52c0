// Versions that are in no stack for a reason that one can point at, and that reason.
//
// Arc consistency over the components that every stack holds: a version goes when the project rules
// it out, when nobody is left who meets what it needs, when every version left of such a component
// excludes it, or when nothing left needs its component. That is cheap and finds what a person would
// find by looking; a version can also be in no stack for deeper reasons (explain_version()).
#pragma once

#include <string>
#include <vector>

#include "resolver/problem.hpp"

namespace stackx::resolver {

// By component and version: the first reason found, empty where there is none.
std::vector<std::vector<std::string>> excluded(const Problem& problem);

}  // namespace stackx::resolver
