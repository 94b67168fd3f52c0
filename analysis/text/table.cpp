#include "analysis/text/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/format/printable.hpp"

namespace stackx::analysis {
namespace {

// To `width` characters: fmt counts those that two bytes make as one, too.
std::string padded(const std::string& text, std::size_t width, bool right) {
  return right ? fmt::format("{:>{}}", text, width) : fmt::format("{:<{}}", text, width);
}

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

}  // namespace

std::string Paint::operator()(const char* code, const std::string& text) const {
  return on ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

std::string Column::cell(std::size_t row, std::size_t width) const {
  return padded(specs::printable(cells[row]), width, right);
}

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::vector<std::size_t> widths_of(const std::vector<Column>& columns) {
  std::vector<std::size_t> widths;
  for (const Column& column : columns) {
    std::size_t width = width_of(specs::printable(column.title));
    for (const std::string& cell : column.cells) width = std::max(width, width_of(specs::printable(cell)));
    widths.push_back(width);
  }
  return widths;
}

std::string titles(const std::vector<Column>& columns, const std::vector<std::size_t>& widths) {
  std::string text;
  for (std::size_t c = 0; c < columns.size(); ++c)
    text += padded(specs::printable(columns[c].title), widths[c], columns[c].right) + std::string(gap);
  return trimmed(std::move(text));
}

std::string table_text(const std::vector<Column>& columns, const Paint& paint) {
  if (columns.empty()) return {};
  const std::vector<std::size_t> widths = widths_of(columns);
  std::string text = paint("4", titles(columns, widths)) + "\n";
  for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
    std::string line;
    for (std::size_t c = 0; c < columns.size(); ++c)
      line += columns[c].cell(row, widths[c]) + std::string(gap);
    text += trimmed(std::move(line)) + "\n";
  }
  return text;
}

std::string number(double value) {
  const int decimals = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3;
  return value != 0 && value < 0.01 ? fmt::format("{:.3g}", value)
                                    : fmt::format("{:.{}f}", value, decimals);
}

std::string wrap(const std::vector<std::string>& words, std::size_t indent,
                 std::string_view separator, std::size_t width) {
  std::string text;
  std::size_t column = indent;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = specs::printable(words[i]) + (i + 1 < words.size() ? std::string(separator) : "");
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
    const std::size_t end = std::min(text.find(' ', start), text.size());
    if (end > start) words.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

std::string wrap(const std::string& text, std::size_t indent, std::size_t width) { return wrap(split(text), indent, "", width); }

}  // namespace stackx::analysis
