#include "cli/manual/roff.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>

namespace stackx::cli::manual {
namespace {

// The character that a valid UTF-8 sequence at the front of `text` stands for; how many bytes it has goes to `length`.
std::uint32_t code_point(std::string_view text, std::size_t& length) {
  const auto first = static_cast<unsigned char>(text.front());
  length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  std::uint32_t code = first & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length && i < text.size(); ++i)
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3fU);
  return code;
}

std::string_view escaped(char c) {
  switch (c) {
    case '\\': return "\\e";
    case '-': return "\\-";
    case '\'': return "\\(aq";
    case '`': return "\\(ga";
    case '^': return "\\(ha";
    case '~': return "\\(ti";
    case '"': return "\\(dq";
    default: return "";
  }
}

}  // namespace

std::string roff(std::string_view text) {
  std::string result;
  if (text.starts_with('.')) result = "\\&";
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (static_cast<unsigned char>(c) >= 0x80) {
      std::size_t length = 0;
      result += fmt::format("\\[u{:04X}]", code_point(text.substr(at), length));
      at += length;
      continue;
    }
    if (const auto instead = escaped(c); !instead.empty())
      result += instead;
    else
      result += c == '\n' ? ' ' : c;
    ++at;
  }
  return result;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

std::string roff_marked(std::string_view text) {
  std::string result;
  for (bool marked = false;; marked = !marked) {
    const std::size_t end = text.find('`');
    const bool last = end == text.npos || (!marked && text.find('`', end + 1) == text.npos);
    const auto part = last ? text : text.substr(0, end);
    result += marked ? bold(part) : roff(part);
    if (last) return result;
    text.remove_prefix(end + 1);
  }
}

std::string roff_lines(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const auto line = text.substr(0, end);
    result += (line.empty() ? "\\&" : roff(line)) + "\n";
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
  return result;
}

}  // namespace stackx::cli::manual
