// Tables and paragraphs for people: right- and left-aligned, ANSI colours if wanted, as wide as who prints them says, else
// 118 columns. Cells and words may come from outside: printable() shows them.
//
// A table that is too wide for its page folds within its columns: texts and titles at their blanks, numbers never. What would
// become too narrow to read goes below its row; where even that is too wide, each row is a block of lines "title  cell".
// What a person pastes stays whole: a word, a command (of two lines a shell would run the first), what stands `between
// backquotes`. Rejected: cutting cells, which loses what was asked for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stackx::analysis {

inline constexpr std::size_t page_width = 118;
inline constexpr std::size_t unfolded = 100'000;  // wider than any line: a row is one
inline constexpr std::string_view gap = "  ";  // between columns

// ANSI colours, or nothing.
struct Paint {
  bool on;
  std::string operator()(const char* code, const std::string& text) const;
};

struct Column {
  std::string title;
  bool right = false;
  std::vector<std::string> cells = {};
};

std::size_t width_of(const std::string& text);  // characters, not bytes
std::vector<std::size_t> widths_of(const std::vector<Column>& columns);
std::size_t line_width(const std::vector<std::size_t>& widths);  // of columns, and the gaps between them
// The same where the page is narrower: the widest column gives way, as far as its words let it.
std::vector<std::size_t> fitted_widths(const std::vector<Column>& columns, std::size_t width);
// Underlined; `behind`: the title of what stands behind the last column.
std::string titles(const std::vector<Column>& columns, const std::vector<std::size_t>& widths, const Paint& paint,
                   std::string_view behind = {});
// Lines of cells. The last one has the gap behind its last column and no end.
std::string row_text(const std::vector<Column>& columns, const std::vector<std::size_t>& widths, std::size_t row);
std::string trimmed(std::string text);  // without blanks at its end

// The column of texts that takes most room and may stand below the row: the last of those that are not short, else the
// longest; what begins a row stays. 0: none.
std::size_t long_column(const std::vector<Column>& columns, const std::vector<std::size_t>& widths);
// "      workload: matmul:m=96; hardware: zen4", as many to a line as fit; with its end. Empty cells are left out.
std::string named_cells(const std::vector<Column>& columns, std::size_t row, std::size_t width);
// Titles and rows; every column has as many cells.
std::string table_text(const std::vector<Column>& columns, const Paint& paint, std::size_t width = unfolded);

// As many decimals as four significant digits need.
std::string number(double value);

// `indent` is where the text begins; further lines are indented by as much. `separator` follows every
// word but the last. A word that is longer than a line breaks at its blanks, but for a command ("stackx ...").
std::string wrap(const std::vector<std::string>& words, std::size_t indent,
                 std::string_view separator, std::size_t width = page_width);
std::string wrap(const std::string& text, std::size_t indent, std::size_t width = page_width);  // at its words
std::string paragraph(const std::string& text, std::size_t indent, std::size_t width = page_width);  // indented lines with their ends
std::string hanging(const std::string& text, std::size_t indent, std::size_t width);  // further lines two columns further
std::string bullet(const std::string& text, std::size_t width);
std::string folded(const std::string& lines, std::size_t width);  // those that are too long, hanging
std::vector<std::string> lines_of(const std::string& text);  // without their ends
std::string indented(const std::string& lines, std::size_t indent);  // each of them that is not empty
std::vector<std::string> split(const std::string& text);  // into words; what is `between backquotes` is one

}  // namespace stackx::analysis
