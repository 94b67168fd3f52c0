// What commands write to stdout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/text/table.hpp"

namespace stackx::cli {

// Below so many documents no progress is shown.
inline constexpr std::uint64_t documents_worth_showing = 20'000;

void print_json(const nlohmann::json& document);  // one line on stdout
// Of these, where there is neither a terminal nor $COLUMNS, a paragraph and a row of a table are one line. The lines of a
// paragraph but the first are indented; `words` stay whole.
void print_paragraph(const std::string& text, std::size_t indent = 0);
void print_paragraph(const std::vector<std::string>& words, std::size_t indent = 0);
void print_line(const std::string& text, std::size_t indent);  // begins there; what follows two columns further
void print_table(std::vector<analysis::Column> columns, const std::vector<std::vector<std::string>>& rows);
bool stdout_is_terminal();
// Columns to write into (workspace::page_columns), else `usual`.
std::size_t output_width(std::size_t usual = 100);
// Bold and the like: on a terminal, unless $NO_COLOR is set (https://no-color.org).
bool in_colour();

}  // namespace stackx::cli
