#include "specs/format/names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/format/json.hpp"

namespace stackx::specs {
namespace {

constexpr std::size_t longest_name = 128;

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

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

void check_component_name(std::string_view name, const Node& place) {
  if (const auto error = component_name_error(name); !error.empty()) place.fail(error);
}

void check_version_text(std::string_view text, const Node& place) {
  if (const auto error = version_text_error(text); !error.empty()) place.fail(error);
}

}  // namespace stackx::specs
