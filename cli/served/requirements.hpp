// What `check` sends a server: requirements. A server reads no file of who asks it; what stands in one here is read here.
#pragma once

#include <string>
#include <vector>

#include "advisor/check/asked.hpp"

namespace stackx::cli {

// Words stay as they are; what a file or stdin holds stands in its place, a requirement each. What cannot be sent is told on
// stderr. Throws Error(bad_input) for files that nobody can read, and where there is nothing to send.
std::vector<std::string> requirements_for_server(const advisor::CheckRequest& request);

}  // namespace stackx::cli
