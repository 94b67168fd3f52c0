// Comma-separated values as RFC 4180 wants them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stackx::analysis {

std::string csv_field(std::string_view text);
std::string csv_line(const std::vector<std::string>& fields);  // with its CR LF

}  // namespace stackx::analysis
