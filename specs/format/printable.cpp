#include "specs/format/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace stackx::specs {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD

// A character and its bytes; 0 bytes: no UTF-8.
struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;
};

// The one at the front (Unicode 15, table 3-7: neither overlong forms nor surrogates).
Character decoded(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (bytes == 0 || text.size() < bytes) return {};
  std::uint32_t code = first & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {code, bytes};
}

bool is_foreign(std::uint32_t code) {
  constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 6> ranges{
      {{0x00, 0x1f}, {0x7f, 0x9f}, {0x061c, 0x061c}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x206f}}};
  return std::ranges::any_of(ranges, [&](const auto& range) { return code >= range.first && code <= range.second; });
}

std::string instead_of(std::uint32_t code) {
  return code == '\t' || code == '\n' || code == '\r' ? " " : fmt::format("\\u{:04x}", code);
}

// The bytes at the front that stay although they hold control characters.
std::size_t kept(std::string_view text, Keep keep) {
  if (keep == Keep::nothing) return 0;
  if (text.starts_with('\n')) return 1;
  if (text.starts_with("\r\n")) return 2;
  if (keep == Keep::lines) return 0;
  for (const std::string_view colour : {"0m", "1m", "2m", "4m", "31m", "32m", "33m"})
    if (text.starts_with("\x1b[") && text.substr(2).starts_with(colour)) return 2 + colour.size();
  return 0;
}

// How many bytes at the front are printable ASCII: nearly all of what is ever printed.
std::size_t plain(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, [](char c) { return c >= 0x20 && c < 0x7f; });
  return static_cast<std::size_t>(end - text.begin());
}

// Gives `take` the text in pieces, each as it is to be shown, until that wants no more.
template <typename Take>
void shown(std::string_view text, Keep keep, const Take& take) {
  while (!text.empty()) {
    std::size_t bytes = plain(text);
    if (bytes == 0) bytes = kept(text, keep);
    std::string escaped;
    if (bytes == 0) {
      const Character next = decoded(text);
      bytes = std::max<std::size_t>(next.bytes, 1);
      if (next.bytes == 0) escaped = replacement;
      if (next.bytes > 0 && is_foreign(next.code)) escaped = instead_of(next.code);
    }
    if (!take(escaped.empty() ? text.substr(0, bytes) : escaped, !escaped.empty())) return;
    text.remove_prefix(bytes);
  }
}

}  // namespace

std::string printable(std::string_view text, Keep keep) {
  std::string result;
  result.reserve(text.size());
  shown(text, keep, [&](std::string_view piece, bool) {
    result += piece;
    return true;
  });
  return result;
}

bool is_printable(std::string_view text, Keep keep) {
  bool all = true;
  shown(text, keep, [&](std::string_view, bool changed) { return all = !changed; });
  return all;
}

}  // namespace stackx::specs
