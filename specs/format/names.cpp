#include "specs/format/names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/format/json.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::specs {
namespace {

constexpr std::size_t longest_name = 128;

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

}  // namespace

std::string component_name_error(std::string_view name) {
  if (name.empty()) return "a name must not be empty";
  if (name.size() > longest_name) return fmt::format("a name has at most {} bytes", longest_name);
  if (!is_alphanumeric(name.front()))
    return fmt::format("the name \"{}\" must begin with a letter or digit", name);
  const auto wrong = std::find_if_not(name.begin(), name.end(), [](char c) {
    return is_alphanumeric(c) || c == '-' || c == '_' || c == '+';
  });
  if (wrong == name.end()) return "";
  return fmt::format("the name \"{}\" may hold letters, digits, '-', '_' and '+' only{}", name,
                     *wrong == '.' ? " (a dot separates component and attribute)" : "");
}

std::string version_text_error(std::string_view text) {
  if (text.empty()) return "a version must not be empty";
  if (text.size() > longest_name) return fmt::format("a version has at most {} bytes", longest_name);
  if (text == "." || text == "..") return fmt::format("\"{}\" cannot be a version", text);
  const bool printable =
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 127 && c != '/'; });
  if (printable) return "";
  return fmt::format(
      "the version \"{}\" may hold neither spaces nor '/' nor control or non-ASCII characters",
      text);
}

bool is_python_package_name(std::string_view name) {
  return !name.empty() && is_alphanumeric(name.front()) && is_alphanumeric(name.back()) &&
         std::ranges::all_of(name, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

bool is_debian_package_name(std::string_view text) {
  const auto colon = std::min(text.find(':'), text.size());
  const auto name = text.substr(0, colon), architecture = text.substr(std::min(colon + 1, text.size()));
  const bool named =
      name.size() > 1 && is_lower_or_digit(name.front()) && name.back() != '-' &&
      std::ranges::all_of(name, [](char c) { return is_lower_or_digit(c) || c == '+' || c == '-' || c == '.'; });
  if (colon == text.size()) return named;
  return named && !architecture.empty() && is_lower_or_digit(architecture.front()) &&
         is_lower_or_digit(architecture.back()) &&
         std::ranges::all_of(architecture, [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

void check_component_name(std::string_view name, const Node& place) {
  if (const auto error = component_name_error(name); !error.empty()) place.fail(error);
}

void check_version_text(std::string_view text, const Node& place) {
  if (const auto error = version_text_error(text); !error.empty()) place.fail(error);
}

}  // namespace stackx::specs
