#include "specs/python/pep508.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "specs/version/text_scanner.hpp"

namespace stackx::specs {
namespace {

constexpr bool in_name(char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; }
constexpr bool starts_specifier(char c) {
  return c == '=' || c == '<' || c == '>' || c == '!' || c == '~';
}

// A ParseError on the way out is thrown, and caught in parse_dependency.
class Parser {
 public:
  explicit Parser(std::string_view text) : in_(text) {}

  Dependency dependency() {
    Dependency result;
    skip_space();
    result.name = name("a requirement starts with the name of a package");
    skip_space();
    if (in_.peek() == '[') result.extras = extras();
    skip_space();
    if (in_.peek() == '@')
      result.url = url();
    else
      result.versions = versions();
    skip_space();
    if (in_.peek() == ';') result.marker = marker();
    if (!in_.at_end())
      throw in_.error(
          "after the name may follow [extras], versions such as >=1.2,<2 and \"; marker\"");
    return result;
  }

 private:
  std::string name(std::string_view expectation) {
    if (!is_alphanumeric(in_.peek())) throw in_.error(expectation);
    const std::string_view text = in_.take_while(in_name);
    if (!is_alphanumeric(text.back()))
      throw ParseError{fmt::format("the name \"{}\" must end with a letter or digit", text),
                       in_.column() - 1};
    return normalized_name(text);
  }

  std::vector<std::string> extras() {
    std::vector<std::string> result;
    in_.skip(1);
    skip_space();
    while (in_.peek() != ']') {
      result.push_back(name("expected the name of an extra"));
      skip_space();
      if (in_.peek() == ']') break;
      if (in_.peek() != ',') throw in_.error("extras are separated by commas and closed by ']'");
      in_.skip(1);
      skip_space();
      if (in_.peek() == ']') throw in_.error("after a comma the name of an extra must follow");
    }
    in_.skip(1);
    std::ranges::sort(result);
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  std::string url() {
    in_.skip(1);
    skip_space();
    const std::string_view text = in_.take_while([](char c) { return !is_space(c); });
    if (text.empty()) throw in_.error("a URL must follow '@'");
    return std::string(text);
  }

  SpecifierSet versions() {
    const bool parentheses = in_.peek() == '(';
    if (parentheses) in_.skip(1);
    skip_space();
    const TextScanner start = in_;
    const std::string_view text =
        in_.take_while([&](char c) { return c != ';' && c != ')' && c != '@'; });
    if (parentheses) {
      if (in_.peek() != ')') throw in_.error("expected a closing ')' after the versions");
      in_.skip(1);
    }
    if (trim(text).text.empty()) return SpecifierSet::any(Versioning::pep440);
    if (!starts_specifier(text.front()))
      throw start.error(
          "after the name may follow [extras], versions such as >=1.2,<2 and "
          "\"; marker\"");
    auto result = SpecifierSet::parse(trim(text).text, Versioning::pep440);
    if (!result)
      throw ParseError{result.error().reason, result.error().column + start.column() - 1};
    return *result;
  }

  Marker marker() {
    in_.skip(1);
    auto result = Marker::parse(in_.rest());
    if (!result) throw ParseError{result.error().reason, result.error().column + in_.column() - 1};
    in_.skip(in_.rest().size());
    return *result;
  }

  void skip_space() { in_.take_while(is_space); }

  TextScanner in_;
};

}  // namespace

std::expected<Dependency, ParseError> parse_dependency(std::string_view text) {
  try {
    return Parser(text).dependency();
  } catch (const ParseError& error) {
    return std::unexpected(error);
  }
}

bool Dependency::is_of_an_extra() const { return marker && marker->text().contains("extra =="); }

std::string Dependency::with_extras() const {
  return extras.empty() ? name : fmt::format("{}[{}]", name, fmt::join(extras, ","));
}

std::string Dependency::text() const {
  std::string out = with_extras();
  if (!versions.is_any()) out += versions.text();
  if (!url.empty()) out += " @ " + url + (marker ? " " : "");
  if (marker) out += "; " + marker->text();
  return out;
}

std::string normalized_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c != '-' && c != '_' && c != '.')
      out += to_lower(c);
    else if (!out.ends_with('-'))
      out += '-';
  }
  return out;
}

}  // namespace stackx::specs
