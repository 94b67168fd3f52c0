#include "importers/literal.hpp"

#include <charconv>
#include <cmath>

#include "specs/format/json_reader.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::importers {
namespace {

using specs::Json;

class LiteralReader {
 public:
  explicit LiteralReader(std::string_view text) : text_(text) {}

  std::optional<Json> whole() {
    auto value = read(0);
    space();
    if (!value || at_ != text_.size()) return std::nullopt;
    return value;
  }

 private:
  static constexpr int deepest = 64;

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void space() {
    while (at_ < text_.size() && specs::is_space(text_[at_])) ++at_;
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  std::optional<Json> read(int depth) {
    space();
    if (depth > deepest || ++values_ > specs::most_values) return std::nullopt;
    const char c = peek();
    if (c == '{') return object(depth);
    if (c == '[' || c == '(') return array(depth);
    if (c == '"' || c == '\'') return text();
    if ((c == 'u' || c == 'b') && at_ + 1 < text_.size() &&
        (text_[at_ + 1] == '\'' || text_[at_ + 1] == '"')) {
      ++at_;
      return text();
    }
    return specs::is_letter(c) ? word() : number();
  }

  std::optional<Json> object(int depth) {
    Json value = Json::object();
    ++at_;
    for (space(); !take('}'); space()) {
      if (!value.empty() && !take(',')) return std::nullopt;
      space();
      if (take('}')) return value;
      const auto key = read(depth + 1);
      space();
      if (!key || key->is_structured() || !take(':')) return std::nullopt;
      auto member = read(depth + 1);
      if (!member) return std::nullopt;
      value[key->is_string() ? key->get<std::string>() : key->dump()] = std::move(*member);
    }
    return value;
  }

  std::optional<Json> array(int depth) {
    const char end = text_[at_++] == '[' ? ']' : ')';
    Json value = Json::array();
    for (space(); !take(end); space()) {
      if (!value.empty() && !take(',')) return std::nullopt;
      space();
      if (take(end)) return value;
      auto item = read(depth + 1);
      if (!item) return std::nullopt;
      value.push_back(std::move(*item));
    }
    return value;
  }

  std::optional<Json> text() {
    const char quote = text_[at_++];
    std::string value;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == quote) return Json(specs::to_utf8(value));
      if (c != '\\') {
        value += c;
        continue;
      }
      if (at_ == text_.size()) break;
      escape(text_[at_++], value);
    }
    return std::nullopt;
  }

  // What is not known stays as it is written, as in Python.
  void escape(char c, std::string& value) {
    constexpr std::string_view from = "nrtbf\\/'\"", to = "\n\r\t\b\f\\/'\"";
    if (const auto known = from.find(c); known != from.npos)
      value += to[known];
    else if (c == 'u' && at_ + 4 <= text_.size())
      hex(4, value);
    else if (c == 'x' && at_ + 2 <= text_.size())
      hex(2, value);
    else
      (value += '\\') += c;
  }

  void hex(std::size_t digits, std::string& value) {
    unsigned code = 0;
    const auto [end, error] = std::from_chars(&text_[at_], &text_[at_] + digits, code, 16);
    if (error != std::errc() || end != &text_[at_] + digits) return;
    at_ += digits;
    if (code < 0x80) {
      value += static_cast<char>(code);
    } else if (code < 0x800) {
      value += static_cast<char>(0xc0 | code >> 6);
      value += static_cast<char>(0x80 | (code & 63));
    } else {  // halves of pairs are no characters: to_utf8 replaces them
      value += static_cast<char>(0xe0 | code >> 12);
      value += static_cast<char>(0x80 | (code >> 6 & 63));
      value += static_cast<char>(0x80 | (code & 63));
    }
  }

  std::optional<Json> word() {
    const auto begin = at_;
    while (specs::is_alphanumeric(peek())) ++at_;
    const auto word = text_.substr(begin, at_ - begin);
    if (word == "true" || word == "True") return Json(true);
    if (word == "false" || word == "False") return Json(false);
    if (word == "null" || word == "None" || word == "nan" || word == "NaN" || word == "inf" ||
        word == "Infinity")
      return Json(nullptr);
    return std::nullopt;
  }

  std::optional<Json> number() {
    if (text_.substr(at_).starts_with("-inf") || text_.substr(at_).starts_with("-Inf")) {
      ++at_;
      return word();
    }
    const char* begin = text_.data() + at_;
    const char* last = text_.data() + text_.size();
    std::int64_t whole = 0;
    const auto [end, error] = std::from_chars(begin, last, whole);
    const bool fraction = end < last && (*end == '.' || *end == 'e' || *end == 'E');
    if (error == std::errc() && !fraction) {
      at_ = static_cast<std::size_t>(end - text_.data());
      return Json(whole);
    }
    double value = 0;
    const auto [stop, wrong] = std::from_chars(begin, last, value);
    if (stop == begin || (wrong != std::errc() && wrong != std::errc::result_out_of_range))
      return std::nullopt;
    at_ = static_cast<std::size_t>(stop - text_.data());
    if (wrong != std::errc() || !std::isfinite(value)) return Json(nullptr);
    return Json(value);
  }

  std::string_view text_;
  std::size_t at_ = 0, values_ = 0;
};

}  // namespace

std::optional<Json> parse_literal(std::string_view text) { return LiteralReader(text).whole(); }

specs::Node parse_json(std::string_view text, const std::string& name) {
  std::string plain;
  bool inside = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (inside && c == '\\' && at + 1 < text.size()) {
      plain += c;
      plain += text[++at];
      continue;
    }
    if (c == '"') inside = !inside;
    std::string_view nothing;
    if (!inside)
      for (const std::string_view word : {"NaN", "-NaN", "Infinity", "-Infinity"})
        if (text.substr(at).starts_with(word) && (at == 0 || !specs::is_letter(text[at - 1])))
          nothing = word;
    if (nothing.empty()) {
      plain += c;
    } else {
      plain += "null";
      at += nothing.size() - 1;
    }
  }
  return specs::Node::parse_text(plain, name);
}

}  // namespace stackx::importers
