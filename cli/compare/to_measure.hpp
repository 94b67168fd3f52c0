// What `compare` leads on to where nothing of the two is measured: the command that measures both, where they are packages, and what
// others measured. A library that is in a stack by its own name (cublas) is no package that an installer takes by that.
#pragma once

#include <string>

#include "cli/compare/sides.hpp"

namespace stackx::cli {

// "; of packages `stackx blame A B --workload W` measures the two"; "" of sides that are neither versions nor lists.
std::string to_measure(const SidesOptions& options, const Globals& globals);

}  // namespace stackx::cli
