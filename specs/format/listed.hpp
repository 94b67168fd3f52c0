// Names in a sentence.
#pragma once

#include <string>
#include <vector>

namespace stackx::specs {

// "v100", "v100 and b200", "v100, l40s and b200"
std::string listed(const std::vector<std::string>& names, const char* last = "and");

}  // namespace stackx::specs
