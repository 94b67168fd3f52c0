#include "importers/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::importers {

std::string name_of(std::string_view text) {
  std::string name;
  for (const char c : text.substr(0, 128))
    name += specs::is_alphanumeric(c) || c == '-' || c == '_' || c == '+' ? c : '_';
  if (name.empty() || !specs::is_alphanumeric(name[0])) name = "x" + name.substr(0, 127);
  return name;
}

std::string value_of(std::string_view text) {
  constexpr std::size_t most = 1'000;
  const std::string good = specs::to_utf8(text.size() > most ? text.substr(0, 900) : text);
  std::string value;
  for (const char c : good) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte == 127 || c == ',' || c == '%')
      value += fmt::format("%{:02X}", byte);
    else
      value += c;
  }
  if (text.size() > most) value += "#" + specs::sha256(text).substr(0, 12);
  return value.empty() ? "%" : value;
}

std::string one_line(std::string_view text, std::size_t most) {
  const bool cut = text.size() > most;
  std::string line;
  for (const char c : text.substr(0, most)) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 127;
    if (!control)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  std::string whole = specs::to_utf8(specs::trim(line).text);
  // A replacement character has three bytes: what was not UTF-8 grows.
  if (whole.size() > 4 * most) whole.resize(0);
  return cut ? whole + "..." : whole;
}

std::optional<double> leading_number(std::string_view text) {
  text = specs::trim(text).text;
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> number_of(std::string_view text) {
  text = specs::trim(text).text;
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return lines;
}

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, specs::to_lower, specs::to_lower);
}

bool holds(std::string_view text, std::string_view word) { return text.find(word) != text.npos; }

}  // namespace stackx::importers
