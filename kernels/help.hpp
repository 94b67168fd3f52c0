// What `stackx-pi --help` prints: how it is called, every indicator, every parameter with its default.
//
// As wide as the terminal, else $COLUMNS, 60 to 160 columns; where neither says, a line stays a line. Rejected: the folding of
// `stackx --help`: this program links nothing of the other rooms.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace stackx::kernels {

std::string help_text(std::optional<std::size_t> width);
std::optional<std::size_t> stdout_width();

}  // namespace stackx::kernels
