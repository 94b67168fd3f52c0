// Which Python the stacks of a Python project are resolved for, where nobody names one: this machine's, or where the project does not
// allow that the newest that it does (python=3.9 of conda's environment). Rejected: an error, since nothing is run here.
#pragma once

#include <string>

#include "specs/python/project.hpp"

namespace stackx::cli {

std::string python_for(const specs::PythonProject& project);

}  // namespace stackx::cli
