// Comma-separated values as RFC 4180 wants them. They are opened with spreadsheets, and their texts come from strangers:
// one that would be a formula there (it begins with = + - @, a tab or a line end, and is no number) gets a ' before it,
// also behind a ';', at which some of them part cells; and each is one line without control characters
// (specs/format/printable.hpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stackx::analysis {

std::string csv_field(std::string_view text);
std::string csv_line(const std::vector<std::string>& fields);  // with its CR LF

}  // namespace stackx::analysis
