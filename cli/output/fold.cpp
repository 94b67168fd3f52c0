#include "cli/output/fold.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

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

}  // namespace

std::string folded_help(std::string_view text, std::size_t width) {
  std::string folded;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    const auto line = text.substr(from, end - from);
    const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    if (line.size() <= width || (blanks > 2 && blanks < second_column))
      folded += line;
    else if (blanks == 0)
      folded += fold(line, 0, 0, width);
    else
      folded += fold(line, std::max(blanks, std::size_t(2)), second_column, width);
    if (end < text.size()) folded += '\n';
    from = end + 1;
  }
  return folded;
}

std::string folded_error(const std::string& text) {
  winsize size{};
  if (isatty(STDERR_FILENO) != 1 || ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 40) return text;
  std::string folded;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    const auto line = std::string_view(text).substr(from, end - from);
    folded += (from > 0 ? "\n" : "") + fold(line, std::min(line.find_first_not_of(' '), line.size()), 2, size.ws_col);
    from = end + 1;
  }
  return folded;
}

}  // namespace stackx::cli
