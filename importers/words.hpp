// Texts of other tools as the texts that published results may hold.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stackx::importers {

// As a component, parameter or detail may be called: every other byte becomes '_'; never empty.
std::string name_of(std::string_view text);
// As a parameter's value: spaces, commas, '%' and control bytes as %XX, so that two texts stay two.
// Texts above 1,000 bytes keep their beginning and a hash of the whole.
std::string value_of(std::string_view text);
// UTF-8 on one line: runs of control bytes become one space, surrounding space is removed, at most
// `most` bytes ("..." at the end of what was cut).
std::string one_line(std::string_view text, std::size_t most);

// The whole text, without surrounding space, is a finite decimal number.
std::optional<double> number_of(std::string_view text);
// The number that the text begins with: "94.5 +/- 1.1" is 94.5.
std::optional<double> leading_number(std::string_view text);

std::vector<std::string_view> lines_of(std::string_view text);  // without line ends; \r\n too
bool same_word(std::string_view a, std::string_view b);         // in either case
bool holds(std::string_view text, std::string_view word);

}  // namespace stackx::importers
