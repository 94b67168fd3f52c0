// What the parser lays out in lines of any length, folded to a screen: help in two columns, errors.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stackx::cli {

// Lines of `--help`: what stands in its second column goes on there, everything else at the line's beginning. Commands of
// examples stay whole, so that they can be copied.
std::string folded_help(std::string_view text, std::size_t width);

// An error on a terminal, commands whole; elsewhere programs read it, and a line stays one, whatever $COLUMNS says. Further lines
// are indented.
std::string folded_error(const std::string& text);

}  // namespace stackx::cli
