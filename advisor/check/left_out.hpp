// What was left out of a question ("torch @ https://... (not from an index)"), and decides it all the same.
#pragma once

#include <string>
#include <vector>

#include "advisor/facts/knowledge.hpp"

namespace stackx::advisor {

// The first of `skipped` that is a framework, by a name before "@", of a wheel's file, of a repository or after
// "#egg="; "" if none is.
std::string framework_left_out(const Knowledge& knowledge, const std::vector<std::string>& skipped);

}  // namespace stackx::advisor
