#include "cli/output/fold.hpp"

#include <unistd.h>

#include <algorithm>

#include "analysis/text/table.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {
namespace {

constexpr std::size_t second_column = 30;  // where CLI11's formatter begins what an option is for

// At blanks; a list of words without any ({rate,memory,...}) behind its commas.
std::string fold(std::string_view line, std::size_t first, std::size_t indent, std::size_t width) {
  std::string text(line.substr(0, first));
  std::size_t column = first;
  const auto put = [&](std::string_view piece) {
    if (column > indent && column + piece.size() > width && piece.find_first_not_of(' ') != piece.npos) {
      text.erase(text.find_last_not_of(' ') + 1);
      text += "\n" + std::string(indent, ' ');
      column = indent;
      piece.remove_prefix(std::min(piece.find_first_not_of(' '), piece.size()));
    }
    text += piece;
    column += piece.size();
  };
  for (std::size_t at = first; at < line.size();) {
    const std::size_t end = std::min(line.find(' ', std::min(line.find_first_not_of(' ', at), line.size())), line.size());
    auto word = line.substr(at, end - at);
    for (std::size_t comma; word.size() > width - indent && (comma = word.rfind(',', width - indent - 1)) != word.npos;) {
      put(word.substr(0, comma + 1));
      word.remove_prefix(comma + 1);
    }
    put(word);
    at = end;
  }
  return text;
}

// The text with `of` of each of its lines.
template <typename Of>
std::string each_line(std::string_view text, Of of) {
  std::string changed;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    changed += of(text.substr(from, end - from));
    if (end < text.size()) changed += '\n';
    from = end + 1;
  }
  return changed;
}

std::size_t blanks_before(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

}  // namespace

std::string folded_help(std::string_view text, std::size_t width) {
  return each_line(text, [&](std::string_view line) {
    const std::size_t blanks = blanks_before(line);
    if (line.size() <= width || (blanks > 2 && blanks < second_column)) return std::string(line);
    if (blanks == 0) return fold(line, 0, 0, width);
    return fold(line, std::max(blanks, std::size_t(2)), second_column, width);
  });
}

std::string folded_error(const std::string& text) {
  constexpr std::size_t narrowest = 40;
  const auto width = workspace::terminal_width(STDERR_FILENO);
  if (!width || *width < narrowest) return text;
  auto folded = analysis::folded(text, *width);
  folded.pop_back();  // who says it ends the line
  return folded;
}

}  // namespace stackx::cli
