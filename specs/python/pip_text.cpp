#include "specs/python/pip_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "specs/error.hpp"
#include "specs/format/input_file.hpp"
#include "specs/format/text_file.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::specs {
namespace {

constexpr const char* save_as_utf8 = "save it as UTF-8";

void append_utf8(std::string& text, char32_t code) {
  const auto six = [&](int shift) { text += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xc0 | code >> 6);
    six(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xe0 | code >> 12);
    six(6), six(0);
  } else {
    text += static_cast<char>(0xf0 | code >> 18);
    six(12), six(6), six(0);
  }
}

// Units of two or four bytes, and what they mean.
class Units {
 public:
  Units(std::string_view bytes, std::size_t size, bool big_endian, std::string_view name)
      : bytes_(bytes), size_(size), big_endian_(big_endian), name_(name) {}

  std::string utf8() {
    std::string text;
    while (at_ < bytes_.size()) append_utf8(text, size_ == 2 ? of_utf16() : checked(unit()));
    return text;
  }

 private:
  char32_t unit() {
    if (bytes_.size() - at_ < size_) fail("ends inside a character");
    char32_t value = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      const auto byte = static_cast<std::uint8_t>(bytes_[at_ + i]);
      value |= static_cast<char32_t>(byte) << 8 * (big_endian_ ? size_ - 1 - i : i);
    }
    at_ += size_;
    return value;
  }

  char32_t of_utf16() {
    const char32_t first = unit();
    if (first < 0xd800 || first > 0xdfff) return first;
    const char32_t second = first < 0xdc00 && at_ < bytes_.size() ? unit() : 0;
    if (second < 0xdc00 || second > 0xdfff) fail("holds half of a surrogate pair");
    return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
  }

  char32_t checked(char32_t code) const {
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) fail("holds what is no character");
    return code;
  }

  [[noreturn]] void fail(const char* what) const {
    throw bad_input(fmt::format("{}: begins as UTF-{}, but {} before byte {}; {}", name_, 8 * size_, what, at_ + size_,
                                save_as_utf8));
  }

  std::string_view bytes_;
  std::size_t size_;
  bool big_endian_;
  std::string_view name_;
  std::size_t at_ = 0;
};

struct Mark {
  std::string_view bytes;
  std::size_t unit;
  bool big_endian;
};
using namespace std::string_view_literals;
constexpr std::array marks{// the longer ones first: UTF-32 begins as UTF-16 does
                           Mark{"\xff\xfe\0\0"sv, 4, false}, Mark{"\0\0\xfe\xff"sv, 4, true}, Mark{"\xef\xbb\xbf"sv, 1, false},
                           Mark{"\xff\xfe"sv, 2, false}, Mark{"\xfe\xff"sv, 2, true}};

// "latin-1" of "# -*- coding: latin-1 -*-", for a line that begins with '#': coding[:=]\s*([-\w.]+)
std::string encoding_of(std::string_view line) {
  if (!line.starts_with('#')) return "";
  for (std::size_t at = line.find("coding"); at != line.npos; at = line.find("coding", at + 1)) {
    auto rest = line.substr(at + 6);
    if (rest.empty() || (rest[0] != ':' && rest[0] != '=')) continue;
    rest = trim(rest.substr(1)).text;
    const auto of_name = [](char c) { return c == '-' || c == '_' || c == '.' || is_digit(c) || (to_lower(c) >= 'a' && to_lower(c) <= 'z'); };
    std::string name(rest.begin(), std::ranges::find_if_not(rest, of_name));
    if (name.empty()) continue;
    std::ranges::transform(name, name.begin(), [](char c) { return c == '_' ? '-' : to_lower(c); });
    return name;
  }
  return "";
}

std::string stated_encoding(std::string_view text) {
  for (int line = 0; line < 2 && !text.empty(); ++line) {
    const auto end = std::min(text.find('\n'), text.size());
    if (auto name = encoding_of(text.substr(0, end)); !name.empty()) return name;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return "";
}

// What Windows has where Latin-1 has control characters; 0: nothing.
constexpr char16_t cp1252_high[32] = {0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
                                      0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
                                      0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

std::string from_one_byte(std::string_view bytes, bool windows) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    const char16_t own = windows && byte >= 0x80 && byte < 0xa0 ? cp1252_high[byte - 0x80] : char16_t{byte};
    append_utf8(text, own == 0 ? 0xfffd : own);
  }
  return text;
}

bool is_any_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

std::string decoded(std::string bytes, std::string_view name) {
  for (const auto& mark : marks)
    if (bytes.starts_with(mark.bytes)) {
      bytes.erase(0, mark.bytes.size());
      return mark.unit == 1 ? bytes : Units(bytes, mark.unit, mark.big_endian, name).utf8();
    }
  const auto encoding = stated_encoding(bytes);
  if (encoding.empty() || is_any_of(encoding, {"utf-8", "utf8", "utf-8-sig", "ascii", "us-ascii"})) return bytes;
  if (is_any_of(encoding, {"latin-1", "latin1", "iso-8859-1", "iso8859-1", "l1"})) return from_one_byte(bytes, false);
  if (is_any_of(encoding, {"cp1252", "windows-1252"})) return from_one_byte(bytes, true);
  throw bad_input(fmt::format("{}: says that its encoding is {}, which is not read here; {}", name, in_quotes(encoding), save_as_utf8));
}

}  // namespace

std::string pip_text(std::string bytes, std::string_view name) {
  auto text = decoded(std::move(bytes), name);
  const auto wrong = std::ranges::find_if(text, [](char c) { return c >= 0 && c < ' ' && (c < '\t' || c > '\r') && c != '\x1b'; });
  if (wrong == text.end()) return text;
  throw bad_input(fmt::format("{}:{}: holds byte {}: this is no text{}; {}", name, 1 + std::count(text.begin(), wrong, '\n'), int{*wrong},
                              *wrong == 0 ? ", or UTF-16 without a byte order mark" : "", save_as_utf8));
}

std::string read_pip_text(const std::filesystem::path& file, std::string_view kind) {
  constexpr std::size_t most = 64 << 20;
  return pip_text(InputFile(file, kind).whole(most), file.string());
}

}  // namespace stackx::specs
