// Tables and paragraphs for people: right- and left-aligned, ANSI colours if wanted, as wide as who prints them says, else
// 118 columns. Cells and words may come from outside: printable() shows them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stackx::analysis {

inline constexpr std::size_t page_width = 118;
inline constexpr std::string_view gap = "  ";  // between columns

// ANSI colours, or nothing.
struct Paint {
  bool on;
  std::string operator()(const char* code, const std::string& text) const;
};

struct Column {
  std::string title;
  bool right;
  std::vector<std::string> cells;

  std::string cell(std::size_t row, std::size_t width) const;
};

std::size_t width_of(const std::string& text);  // characters, not bytes
std::vector<std::size_t> widths_of(const std::vector<Column>& columns);
std::string titles(const std::vector<Column>& columns, const std::vector<std::size_t>& widths);
// Titles (underlined) and rows; every column has as many cells.
std::string table_text(const std::vector<Column>& columns, const Paint& paint);

// As many decimals as four significant digits need.
std::string number(double value);

// `indent` is where the text begins; further lines are indented by as much. `separator` follows every
// word but the last.
std::string wrap(const std::vector<std::string>& words, std::size_t indent,
                 std::string_view separator, std::size_t width = page_width);
std::string wrap(const std::string& text, std::size_t indent, std::size_t width = page_width);  // at its spaces
std::vector<std::string> split(const std::string& text);  // at spaces

}  // namespace stackx::analysis
