#include "cli/query_filters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>

#include "specs/error.hpp"
#include "specs/format/names.hpp"
#include "specs/format/text_file.hpp"
#include "specs/version/specifier.hpp"

namespace stackx::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using namespace std::chrono;

// Takes /components/NAME/kind and /versioning from a catalog as it is read, and skips the rest: a
// catalog of half a megabyte in a millisecond or two.
class KindReader : public nlohmann::json_sax<json> {
 public:
  explicit KindReader(ComponentKinds& kinds) : kinds_(kinds) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool string(string_t& value) override {
    if (depth_ == 1 && key_ == "$schema") return value == "stackx/catalog/1";
    if (depth_ != 3 || !in_components_) return true;
    if (key_ == "kind" && (value == "setting" || value == "hardware"))
      kinds_.no_upgrades.insert(component_);
    if (key_ == "versioning")
      if (const auto scheme = specs::versioning_from(value)) kinds_.versioning[component_] = *scheme;
    return true;
  }
  bool start_object(std::size_t) override {
    ++depth_;
    return true;
  }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override { return start_object(0); }
  bool end_array() override { return end_object(); }
  bool key(string_t& name) override {
    if (depth_ == 1) in_components_ = name == "components";
    if (depth_ == 2) component_ = name;
    if (depth_ <= 3) key_ = name;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  ComponentKinds& kinds_;
  int depth_ = 0;
  bool in_components_ = false;
  std::string component_, key_;
};

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
    KindReader reader(kinds);
    json::sax_parse(in, &reader);  // what is no catalog is left at its first member
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
  const auto set = specs::SpecifierSet::parse(text.substr(end), scheme);
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

std::int64_t parse_since(const std::string& text, system_clock::time_point now) {
  const auto in_ms = [](auto time) {
    return static_cast<std::int64_t>(duration_cast<milliseconds>(time.time_since_epoch()).count());
  };
  if (const auto span = parse_span(text)) return in_ms(now - *span);
  if (const auto day = parse_day(std::string_view(text).substr(0, 10))) {
    if (text.size() == 10) return in_ms(*day);
    if (const auto time = parse_time(std::string_view(text).substr(10))) return in_ms(*day + *time);
  }
  throw bad_input(
      fmt::format("--since {}: expected a time back from now (12h, 30d, 8w) or a date (2026-01-31)",
                  text));
}

}  // namespace stackx::cli
