#include "serve/http/target.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace stackx::serve {
namespace {

constexpr std::size_t longest_target = 8 << 10, most_parameters = 100;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// How many bytes the character has that begins here, as RFC 3629 allows it; 0: none does.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto next = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF && next(1)) return 2;
  if (first >= 0xE0 && first <= 0xEF && next(1) && next(2))
    return (first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ? 0 : 3;
  if (first >= 0xF0 && first <= 0xF4 && next(1) && next(2) && next(3))
    return (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F) ? 0 : 4;
  return 0;
}

// Why a decoded text cannot be part of a target; "": it can.
std::string wrong_text(std::string_view text) {
  while (!text.empty()) {
    const auto length = utf8_length(text);
    if (length == 0) return "is not UTF-8";
    const auto c = static_cast<unsigned char>(text.front());
    const bool c1 = length == 2 && c == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
    if (c < 0x20 || c == 0x7F || c1) return "holds a control character";
    text.remove_prefix(length);
  }
  return "";
}

std::expected<std::string, std::string> decoded(std::string_view text, bool form) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      const int high = i + 1 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::unexpected("has a \"%\" without two hexadecimal digits behind it");
      result += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      result += form && c == '+' ? ' ' : c;
    }
  }
  if (auto wrong = wrong_text(result); !wrong.empty()) return std::unexpected(std::move(wrong));
  return result;
}

std::expected<std::vector<std::string>, std::string> read_path(std::string_view text) {
  std::vector<std::string> segments;
  text.remove_prefix(1);
  while (!text.empty()) {
    const auto end = std::min(text.find('/'), text.size());
    auto segment = decoded(text.substr(0, end), false);
    if (!segment) return std::unexpected("the path " + segment.error());
    if (segment->empty() || *segment == "." || *segment == ".." || segment->find('/') != segment->npos)
      return std::unexpected("the path has a segment that is empty, \".\", \"..\" or holds a \"/\"");
    segments.push_back(std::move(*segment));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return segments;
}

}  // namespace

std::optional<std::string> Target::parameter(std::string_view name) const {
  for (const auto& [one, value] : parameters)
    if (one == name) return value;
  return std::nullopt;
}

bool Target::is(std::initializer_list<std::string_view> segments) const { return std::ranges::equal(path, segments); }

std::string Target::path_text() const {
  if (path.empty()) return "/";
  std::string text;
  for (const auto& segment : path) text += '/' + percent_encoded(segment);
  return text;
}

std::expected<Target, std::string> read_target(std::string_view text) {
  if (text.size() > longest_target) return std::unexpected(fmt::format("the target is longer than {} KiB", longest_target >> 10));
  if (!text.starts_with('/')) return std::unexpected("the target must begin with \"/\"");
  for (const char c : text)
    if (static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) >= 0x7F || c == '#')
      return std::unexpected("the target holds a character that must be written as %XX");
  const auto question = std::min(text.find('?'), text.size());
  auto path = read_path(text.substr(0, question));
  if (!path) return std::unexpected(path.error());
  Target target{std::move(*path), {}};
  text.remove_prefix(std::min(question + 1, text.size()));
  while (!text.empty()) {
    const auto end = std::min(text.find('&'), text.size());
    const auto pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) continue;
    if (target.parameters.size() == most_parameters) return std::unexpected(fmt::format("more than {} parameters", most_parameters));
    const auto equals = std::min(pair.find('='), pair.size());
    auto name = decoded(pair.substr(0, equals), true);
    auto value = decoded(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value) return std::unexpected("a parameter " + (name ? value.error() : name.error()));
    target.parameters.emplace_back(std::move(*name), std::move(*value));
  }
  return target;
}

std::string percent_encoded(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
                       std::string_view("-._~").contains(c);
    result += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return result;
}

std::string to_text(const Target& target) {
  std::string text = target.path_text();
  char before = '?';
  for (const auto& [name, value] : target.parameters) {
    text += before + percent_encoded(name) + '=' + percent_encoded(value);
    before = '&';
  }
  return text;
}

}  // namespace stackx::serve
