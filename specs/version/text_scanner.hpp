// A cursor over a text that is being parsed, and the ASCII classes that the version schemes use.
// The standard library's isdigit() and its kin depend on the locale; a version must not.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "specs/version/version.hpp"

namespace stackx::specs {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_alphanumeric(char c) { return is_digit(c) || is_letter(c); }
constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string lowered(std::string_view text) {  // ASCII letters alone
  std::string result(text);
  for (char& c : result) c = to_lower(c);
  return result;
}

// Without the surrounding white space, and how many bytes stood before.
struct Trimmed {
  std::string_view text;
  std::size_t offset = 0;
};
constexpr Trimmed trim(std::string_view text) {
  std::size_t begin = 0;
  while (begin < text.size() && is_space(text[begin])) ++begin;
  std::size_t end = text.size();
  while (end > begin && is_space(text[end - 1])) --end;
  return {text.substr(begin, end - begin), begin};
}

class TextScanner {
 public:
  explicit TextScanner(std::string_view text) : text_(text) {}

  bool at_end() const { return position_ == text_.size(); }
  char peek(std::size_t ahead = 0) const {  // '\0' past the end
    return ahead < text_.size() - position_ ? text_[position_ + ahead] : '\0';
  }
  std::string_view rest() const { return text_.substr(position_); }
  std::size_t column() const { return position_ + 1; }

  void skip(std::size_t count) { position_ += count; }
  bool skip_word(std::string_view lower_case) {  // in either case
    for (std::size_t i = 0; i < lower_case.size(); ++i)
      if (to_lower(peek(i)) != lower_case[i]) return false;
    skip(lower_case.size());
    return true;
  }
  template <typename Class>
  std::string_view take_while(Class&& is_member) {
    const std::size_t start = position_;
    while (!at_end() && is_member(text_[position_])) ++position_;
    return text_.substr(start, position_ - start);
  }
  std::string_view digits() { return take_while(is_digit); }

  // "found 'x': <expectation>", at the cursor.
  ParseError error(std::string_view expectation) const {
    if (at_end()) return {fmt::format("found the end: {}", expectation), column()};
    const unsigned char c = static_cast<unsigned char>(peek());
    if (c < 0x20 || c > 0x7e)
      return {fmt::format("found byte 0x{:02x}: {}", c, expectation), column()};
    return {fmt::format("found '{}': {}", peek(), expectation), column()};
  }

 private:
  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace stackx::specs
