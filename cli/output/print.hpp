// What commands write to stdout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace stackx::cli {

// Below so many documents no progress is shown.
inline constexpr std::uint64_t documents_worth_showing = 20'000;

void print_json(const nlohmann::json& document);      // one line on stdout
bool stdout_is_terminal();
std::optional<std::size_t> terminal_width(int descriptor);  // nothing: it is none, or does not say
// Columns to write into: the terminal's, else $COLUMNS, else 100; 60 at least.
std::size_t output_width();
// Bold and the like: on a terminal, unless $NO_COLOR is set (https://no-color.org).
bool in_colour();

}  // namespace stackx::cli
