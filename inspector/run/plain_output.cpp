#include "inspector/run/plain_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "specs/format/text_file.hpp"

namespace stackx::inspector {
namespace {

using specs::Outcome;
using Read = std::expected<PiReport, Rejected>;

constexpr std::string_view blanks = " \t\r\n\v\f";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string_view last_line_of(std::string_view trimmed_text) {
  return trimmed(trimmed_text.substr(trimmed_text.rfind('\n') + 1));
}

// The object of the protocol that the text ends in; "" for none.
std::string_view object_at_end(std::string_view trimmed_text) {
  if (!trimmed_text.ends_with('}')) return {};
  const auto line = trimmed_text.rfind("\n{");
  if (line != trimmed_text.npos) trimmed_text.remove_prefix(line + 1);
  if (!trimmed_text.starts_with('{')) return {};
  constexpr std::string_view members[] = {"\"samples_ns\"", "\"max_relative_error\"", "\"unsupported\"", "\"@result\""};
  const auto is_there = [&](std::string_view member) { return trimmed_text.find(member) != trimmed_text.npos; };
  return std::ranges::any_of(members, is_there) ? trimmed_text : std::string_view();
}

// Infinity and NaN as well, to be named when they are refused.
std::optional<double> number_of(std::string_view line) {
  if (line.starts_with('+')) line.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  if (end != line.data() + line.size() || error == std::errc::invalid_argument) return std::nullopt;
  return error == std::errc() ? value : HUGE_VAL;  // beyond a double: too large, or too close to nothing
}

Read refuse_number(std::string_view line, const std::string& what, const char* wanted) {
  return std::unexpected(Rejected{Outcome::bad_output, fmt::format("the program printed {} as its {}; expected {}",
                                                                   specs::in_quotes(line), what, wanted)});
}

Read of_wall_time(std::int64_t wall_ns) {
  PiReport report;
  report.samples_ns = {std::max<std::int64_t>(wall_ns, 1)};
  report.work.items = 1;  // one run: rankings and comparisons are of rates
  return report;
}

Read of_seconds(std::string_view line, double seconds) {
  const double ns = std::round(seconds * 1e9);
  if (!(ns >= 1 && ns < 9e18)) return refuse_number(line, "seconds", "a number above 0, from 1 ns to 285 years");
  PiReport report;
  report.samples_ns = {static_cast<std::int64_t>(ns)};
  report.work.items = 1;
  return report;
}

Read of_rate(std::string_view line, double rate) {
  if (!(rate > 0 && rate <= specs::most_work)) return refuse_number(line, "rate", "a number above 0, up to 1e30");
  PiReport report;
  report.samples_ns = {1'000'000'000};
  report.work.items = rate;
  return report;
}

Read of_error(std::string_view line, double error, std::int64_t wall_ns) {
  if (!(error >= 0 && std::isfinite(error))) return refuse_number(line, "error", "a finite number, 0 or above");
  auto report = of_wall_time(wall_ns);
  report->check = specs::Check{"the program's own number, which is not judged", error, error, true};
  return report;
}

}  // namespace

Read parse_plain_output(const std::string& text, const std::string& number, std::int64_t wall_ns) {
  const auto said = trimmed(text);
  if (const auto object = object_at_end(said); !object.empty()) return parse_pi_output(std::string(object));
  const auto line = last_line_of(said);
  if (const auto value = number_of(line)) {
    if (number == "rate") return of_rate(line, *value);
    return number == "error" ? of_error(line, *value, wall_ns) : of_seconds(line, *value);
  }
  if (number == "seconds") return of_wall_time(wall_ns);
  return std::unexpected(Rejected{
      Outcome::bad_output, fmt::format("the program's {} is missing: the last line that it printed is {}; expected one number, "
                                       "and nothing beside it", number, said.empty() ? "none" : specs::in_quotes(line))});
}

}  // namespace stackx::inspector
