#include "serve/http/target.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "specs/format/printable.hpp"

namespace stackx::serve {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
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
  if (!specs::is_printable(result)) return std::unexpected("holds what is no UTF-8, or a character that cannot be shown");
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
