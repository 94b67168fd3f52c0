// Messages name what they found, and what strangers write may be a hundred megabytes.
#pragma once

#include <string>
#include <string_view>

namespace stackx::specs {

inline constexpr std::size_t longest_message = 2000;

// `message` itself up to that length; else its beginning and its end, which says what to do, and how much was left out.
std::string brief(std::string_view message);

}  // namespace stackx::specs
