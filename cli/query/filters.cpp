#include "cli/query/filters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>

#include "specs/error.hpp"
#include "specs/format/names.hpp"
#include "specs/format/text_file.hpp"
#include "specs/version/specifier.hpp"

namespace stackx::cli {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono;

// The closing quote of the string whose opening one stands at `from`, or the end.
std::size_t end_of_string(std::string_view text, std::size_t from) {
  for (std::size_t end = text.find('"', from + 1); end != text.npos; end = text.find('"', end + 1)) {
    std::size_t escapes = 0;
    while (text[end - 1 - escapes] == '\\') ++escapes;
    if (escapes % 2 == 0) return end;
  }
  return text.size();
}

// Takes /components/NAME/kind and /versioning from a catalog by counting braces, and looks at nothing else: 2 MB of
// catalogs in 3 ms, which a JSON parser reads in 40. What is no catalog is left at its first member; what is wrong in
// one is said by the commands that read catalogs.
void read_kinds(std::string_view text, ComponentKinds& kinds) {
  int depth = 0;
  std::string_view top, component, key;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != '"') continue;
    const std::size_t end = end_of_string(text, at);
    const std::string_view word = text.substr(at + 1, end - at - 1);
    at = end;
    if (depth > 3) continue;
    const std::size_t next = text.find_first_not_of(" \t\r\n", end + 1);
    if (next != text.npos && text[next] == ':') {
      (depth == 1 ? top : depth == 2 ? component : key) = word;
      continue;
    }
    if (depth == 1 && top == "$schema" && word != "stackx/catalog/1") return;
    if (depth != 3 || top != "components") continue;
    if (key == "kind" && (word == "setting" || word == "hardware")) kinds.no_upgrades.emplace(component);
    if (key == "versioning")
      if (const auto scheme = specs::versioning_from(word)) kinds.versioning[std::string(component)] = *scheme;
  }
}

std::optional<sys_days> parse_day(std::string_view text) {
  int y = 0;
  unsigned m = 0, d = 0;
  const auto number = [&](std::size_t from, std::size_t count, auto& value) {
    const char* end = text.data() + from + count;
    return std::from_chars(text.data() + from, end, value).ptr == end;
  };
  if (text.size() != 10 || text[4] != '-' || text[7] != '-' || !number(0, 4, y) ||
      !number(5, 2, m) || !number(8, 2, d))
    return std::nullopt;
  const year_month_day day{year{y}, month{m}, std::chrono::day{d}};
  return day.ok() ? std::optional(sys_days(day)) : std::nullopt;
}

// "T12:34:56Z", with or without fractions, which do not matter here.
std::optional<seconds> parse_time(std::string_view text) {
  unsigned h = 0, m = 0, s = 0;
  const auto number = [&](std::size_t from, unsigned& value) {
    const char* end = text.data() + from + 2;
    return std::from_chars(text.data() + from, end, value).ptr == end;
  };
  if (text.size() < 10 || text[0] != 'T' || text[3] != ':' || text[6] != ':' || text.back() != 'Z' ||
      !number(1, h) || !number(4, m) || !number(7, s) || h > 23 || m > 59 || s > 60)
    return std::nullopt;
  return hours(h) + minutes(m) + seconds(s);
}

std::optional<seconds> parse_span(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || count < 0 || count > 100'000 || end + 1 != text.data() + text.size())
    return std::nullopt;
  switch (*end) {
    case 'h':
      return hours(count);
    case 'd':
      return days(count);
    case 'w':
      return weeks(count);
    default:
      return std::nullopt;
  }
}

}  // namespace

ComponentKinds read_component_kinds(const fs::path& data_directory) {
  ComponentKinds kinds;
  for (const fs::path& file : specs::json_files(data_directory)) {
    std::ifstream in(file, std::ios::binary);
    std::string text(static_cast<std::size_t>(fs::file_size(file)), '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    read_kinds(text, kinds);
  }
  return kinds;
}

store::ComponentFilter parse_component_filter(const std::string& text, const ComponentKinds& kinds) {
  const std::size_t end = std::min(text.find_first_of("<>=!~ *"), text.size());
  const std::string name = text.substr(0, end);
  if (const std::string error = specs::component_name_error(name); !error.empty())
    throw bad_input(fmt::format(
        "--component {}: {}; expected a name and, if need be, versions: 'numpy>=2'", text, error));
  const auto known = kinds.versioning.find(name);
  const auto scheme = known == kinds.versioning.end() ? specs::Versioning::pep440 : known->second;
  // "openblas=0.3.21", as compare takes it.
  const bool single = text.substr(end, 1) == "=" && text.substr(end, 2) != "==";
  const auto set = specs::SpecifierSet::parse((single ? "=" : "") + text.substr(end), scheme);
  if (!set)
    throw bad_input(fmt::format("--component {}: column {}: {} ({} versions)", text,
                                end + set.error().column, set.error().reason,
                                specs::to_string(scheme)));
  return {name, [set = *set, scheme](const std::string& text) {
            if (set.is_any()) return true;
            const auto version = specs::Version::parse(text, scheme);
            return version.has_value() && set.contains(*version);
          }};
}

std::int64_t parse_since(const std::string& text, system_clock::time_point now, const std::string& option) {
  const auto in_ms = [](auto time) {
    return static_cast<std::int64_t>(duration_cast<milliseconds>(time.time_since_epoch()).count());
  };
  if (const auto span = parse_span(text)) return in_ms(now - *span);
  if (const auto day = parse_day(std::string_view(text).substr(0, 10))) {
    if (text.size() == 10) return in_ms(*day);
    if (const auto time = parse_time(std::string_view(text).substr(10))) return in_ms(*day + *time);
  }
  throw bad_input(
      fmt::format("{} {}: expected a time back from now (12h, 30d, 8w) or a date (2026-01-31)",
                  option, text));
}

}  // namespace stackx::cli
