#include "analysis/text/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "specs/format/printable.hpp"

namespace stackx::analysis {
namespace {

// To `width` characters: fmt counts those that two bytes make as one, too.
std::string padded(const std::string& text, std::size_t width, bool right) {
  return right ? fmt::format("{:>{}}", text, width) : fmt::format("{:<{}}", text, width);
}

// Of a cell: an interval, "[0.897, 0.903]", is one.
std::vector<std::string> cell_words(const std::string& text) {
  std::vector<std::string> words;
  bool within = false;
  for (std::string& word : split(text)) {
    const bool begins = word.front() == '[', ends = word.contains(']');
    if (within) words.back() += " " + word;
    else words.push_back(std::move(word));
    within = (within || begins) && !ends;
  }
  return words;
}

std::vector<std::string> folded_cell(const std::string& text, std::size_t width) {
  if (width_of(text) <= width) return {text};
  return lines_of(wrap(cell_words(text), 0, "", width));
}

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  for (const std::string& word : cell_words(text)) longest = std::max(longest, width_of(word));
  return longest;
}

std::size_t widest_cell(const Column& column) {
  std::size_t widest = 0;
  for (const std::string& cell : column.cells) widest = std::max(widest, width_of(specs::printable(cell)));
  return widest;
}

// How narrow a column can be: numbers do not fold.
std::size_t least_width(const Column& column) {
  std::size_t least = longest_word(specs::printable(column.title));
  if (column.right) return std::max(least, widest_cell(column));
  for (const std::string& cell : column.cells) least = std::max(least, longest_word(specs::printable(cell)));
  return least;
}

// Cells beside each other, each in as many lines as it needs, the shorter ones at the top or the bottom of the row.
std::vector<std::string> side_by_side(const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
                                      const std::vector<std::string>& cells, bool at_bottom) {
  std::vector<std::vector<std::string>> folded;
  std::size_t height = 1;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    folded.push_back(folded_cell(specs::printable(cells[c]), widths[c]));
    height = std::max(height, folded.back().size());
  }
  std::vector<std::string> lines(height);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const std::size_t above = at_bottom ? height - folded[c].size() : 0;
    for (std::size_t i = 0; i < height; ++i) {
      const bool there = i >= above && i - above < folded[c].size();
      lines[i] += padded(there ? folded[c][i - above] : "", widths[c], columns[c].right) + std::string(gap);
    }
  }
  return lines;
}

// Within the page, and no text squeezed into a column that is too narrow to be read.
bool folds_well(const std::vector<Column>& columns, std::size_t width) {
  constexpr std::size_t readable = 16, most_lines = 3;
  const auto fitted = fitted_widths(columns, width);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::size_t widest = widest_cell(columns[c]);
    if (fitted[c] < std::min(widest, std::max(readable, widest / most_lines))) return false;
  }
  return line_width(fitted) <= width;
}

// A line a cell, an empty line between rows.
std::string blocks(const std::vector<Column>& columns, const Paint& paint, std::size_t width) {
  std::size_t indent = 0;
  for (const Column& column : columns) indent = std::max(indent, width_of(specs::printable(column.title)) + gap.size());
  std::string text;
  for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
    if (row > 0) text += "\n";
    for (const Column& column : columns)
      text += trimmed(paint("1", padded(specs::printable(column.title), indent, false)) + wrap(column.cells[row], indent, width)) + "\n";
  }
  return text;
}

}  // namespace

std::string Paint::operator()(const char* code, const std::string& text) const {
  return on ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::vector<std::size_t> widths_of(const std::vector<Column>& columns) {
  std::vector<std::size_t> widths;
  for (const Column& column : columns) widths.push_back(std::max(width_of(specs::printable(column.title)), widest_cell(column)));
  return widths;
}

std::size_t line_width(const std::vector<std::size_t>& widths) {
  std::size_t line = 0;
  for (const std::size_t width : widths) line += width + gap.size();
  return line - std::min(line, gap.size());
}

std::vector<std::size_t> fitted_widths(const std::vector<Column>& columns, std::size_t width) {
  auto widths = widths_of(columns);
  if (line_width(widths) <= width) return widths;
  std::vector<std::size_t> least;
  for (const Column& column : columns) least.push_back(least_width(column));
  while (line_width(widths) > width) {
    std::size_t* widest = nullptr;
    for (std::size_t c = 0; c < widths.size(); ++c)
      if (widths[c] > least[c] && (!widest || widths[c] > *widest)) widest = &widths[c];
    if (!widest) break;
    --*widest;
  }
  return widths;
}

std::string titles(const std::vector<Column>& columns, const std::vector<std::size_t>& widths, const Paint& paint,
                   std::string_view behind) {
  std::vector<std::string> cells;
  for (const Column& column : columns) cells.push_back(column.title);
  auto lines = side_by_side(columns, widths, cells, true);
  std::string text;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) text += trimmed(std::move(lines[i])) + "\n";
  return text + paint("4", trimmed(lines.back() + std::string(behind))) + "\n";
}

std::string row_text(const std::vector<Column>& columns, const std::vector<std::size_t>& widths, std::size_t row) {
  std::vector<std::string> cells;
  for (const Column& column : columns) cells.push_back(column.cells[row]);
  auto lines = side_by_side(columns, widths, cells, false);
  std::string text;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) text += trimmed(std::move(lines[i])) + "\n";
  return text + lines.back();
}

std::size_t long_column(const std::vector<Column>& columns, const std::vector<std::size_t>& widths) {
  constexpr std::size_t short_enough = 12;
  std::size_t next = 0;
  for (std::size_t c = 1; c < columns.size(); ++c)
    if (!columns[c].right && widths[c] >= std::min(short_enough, next == 0 ? 0 : widths[next])) next = c;
  return next;
}

std::string named_cells(const std::vector<Column>& columns, std::size_t row, std::size_t width) {
  constexpr std::size_t indent = 6, further = 8;
  const std::string margin(indent, ' ');
  std::string text;
  std::vector<std::string> together;
  const auto end_line = [&] {
    if (!together.empty()) text += margin + wrap(together, indent, ";", width) + "\n";
    together.clear();
  };
  for (const Column& column : columns) {
    if (column.cells[row].empty() || column.cells[row] == "-") continue;
    auto one = (column.title.empty() ? "" : column.title + ": ") + column.cells[row];
    if (indent + width_of(one) < width) {
      together.push_back(std::move(one));
      continue;
    }
    end_line();
    text += margin + wrap(one, further, width) + "\n";
  }
  end_line();
  return text;
}

std::string table_text(const std::vector<Column>& columns, const Paint& paint, std::size_t width) {
  if (columns.empty()) return {};
  std::vector<Column> beside = columns, below;
  while (!folds_well(beside, width)) {
    const auto next = static_cast<std::ptrdiff_t>(long_column(beside, widths_of(beside)));
    if (next == 0) break;
    below.insert(below.begin(), std::move(beside[static_cast<std::size_t>(next)]));
    beside.erase(beside.begin() + next);
  }
  const std::vector<std::size_t> widths = fitted_widths(beside, width);
  if (line_width(widths) > width) return blocks(columns, paint, width);
  std::string text = titles(beside, widths, paint);
  for (std::size_t row = 0; row < columns.front().cells.size(); ++row)
    text += trimmed(row_text(beside, widths, row)) + "\n" + named_cells(below, row, width);
  return text;
}

std::string number(double value) {
  const int decimals = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3;
  return value != 0 && value < 0.01 ? fmt::format("{:.3g}", value)
                                    : fmt::format("{:.{}f}", value, decimals);
}

namespace {

bool is_command(std::string_view word) { return word.starts_with("stackx ") || word.starts_with("pip install "); }

}  // namespace

std::string wrap(const std::vector<std::string>& words, std::size_t indent,
                 std::string_view separator, std::size_t width) {
  std::vector<std::string> pieces;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (indent + words[i].size() + separator.size() <= width || is_command(words[i])) pieces.push_back(words[i]);
    else std::ranges::move(split(words[i]), std::back_inserter(pieces));  // too long for a line
    if (i + 1 < words.size() && !pieces.empty()) pieces.back() += separator;
  }
  std::string text;
  std::size_t column = indent;
  for (const std::string& piece : pieces) {
    const std::string word = specs::printable(piece);
    if (column > indent && column + 1 + word.size() > width) {
      text += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
  }
  return text;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t start = 0; start < text.size();) {
    std::size_t end = start;
    while (end < text.size() && text[end] != ' ') {
      const std::size_t closing = text[end] == '`' ? text.find('`', end + 1) : text.npos;
      end = closing == text.npos ? end + 1 : closing + 1;
    }
    if (end > start) words.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

std::string wrap(const std::string& text, std::size_t indent, std::size_t width) { return wrap(split(text), indent, "", width); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string indented(const std::string& lines, std::size_t indent) {
  std::string text;
  for (const std::string& line : lines_of(lines)) text += (line.empty() ? "" : std::string(indent, ' ') + line) + "\n";
  return text;
}

std::string paragraph(const std::string& text, std::size_t indent, std::size_t width) {
  return std::string(indent, ' ') + wrap(text, indent, width) + "\n";
}

std::string hanging(const std::string& text, std::size_t indent, std::size_t width) {
  return std::string(indent, ' ') + wrap(text, indent + 2, width) + "\n";
}

std::string folded(const std::string& lines, std::size_t width) {
  std::string text;
  for (const std::string& line : lines_of(lines))
    text += width_of(line) <= width ? line + "\n" : hanging(line, std::min(line.find_first_not_of(' '), line.size()), width);
  return text;
}

std::string bullet(const std::string& text, std::size_t width) { return "- " + wrap(text, 2, width) + "\n"; }

}  // namespace stackx::analysis
