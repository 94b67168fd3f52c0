// Changes and groups of them, as people call them.
#pragma once

#include <string>

#include "blame/between/between.hpp"

namespace stackx::blame {

// "torch 2.3.1 -> 2.4.0", "triton not there -> 3.0.0"
std::string change_in_words(const Change& change);

// "torch 2.3.1 -> 2.4.0 with triton 2.3.1 -> 3.0.0 and 3 more": the leading one, `most` of the others, how many are left.
std::string group_in_words(const Between& between, std::size_t group, std::size_t most = 1);

}  // namespace stackx::blame
