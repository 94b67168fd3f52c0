#include "inspector/process/supervision.hpp"

#include <charconv>
#include <string_view>

namespace stackx::inspector {
namespace {

constexpr std::string_view closing_line = "complete=1\n";

// One place that knows keys and their order: writing and reading both go through it.
template <typename Report, typename Visit>
void fields(Report& report, Visit visit) {
  visit("status", report.status);
  visit("began_ns", report.began_ns);
  visit("start_ns", report.start_ns);
  visit("duration_ns", report.duration_ns);
  visit("peak_bytes", report.peak_bytes);
  visit("together_bytes", report.together_bytes);
  visit("left", report.left);
  visit("user_us", report.user_us);
  visit("system_us", report.system_us);
  visit("max_rss_kib", report.max_rss_kib);
  visit("minor_faults", report.minor_faults);
  visit("major_faults", report.major_faults);
  visit("voluntary", report.voluntary);
  visit("involuntary", report.involuntary);
}

std::optional<std::string_view> value_of(std::string_view text, std::string_view key) {
  for (std::size_t from = 0; from < text.size();) {
    const auto to = text.find('\n', from);
    if (to == std::string_view::npos) return std::nullopt;
    const auto line = text.substr(from, to - from);
    if (line.size() > key.size() && line.starts_with(key) && line[key.size()] == '=') {
      return line.substr(key.size() + 1);
    }
    from = to + 1;
  }
  return std::nullopt;
}

template <typename Number>
bool read_number(std::string_view text, std::string_view key, Number& number) {
  const auto value = value_of(text, key);
  if (!value) return false;
  const auto* end = value->data() + value->size();
  const auto result = std::from_chars(value->data(), end, number);
  return result.ec == std::errc() && result.ptr == end;
}

// Sums of two of them stay numbers, whatever is done with them later.
constexpr std::int64_t most = std::int64_t{1} << 62;

bool possible(const Supervision& report) {
  bool all = report.status >= 0 && report.peak_bytes < static_cast<std::uint64_t>(most) &&
             report.together_bytes < static_cast<std::uint64_t>(most);
  for (const auto value : {report.began_ns, report.start_ns, report.duration_ns, report.user_us, report.system_us, report.max_rss_kib,
                           report.minor_faults, report.major_faults, report.voluntary, report.involuntary})
    all = all && value >= 0 && value < most;
  return all && report.max_rss_kib < most / 1024;
}

}  // namespace

std::string to_text(const Supervision& report) {
  std::string text = "end=" + std::to_string(static_cast<int>(report.end)) + "\n";
  fields(report, [&](const char* key, auto value) {
    text += std::string(key) + "=" + std::to_string(value) + "\n";
  });
  return text + std::string(closing_line);
}

std::optional<Supervision> supervision_from(const std::string& text) {
  if (!text.ends_with(closing_line)) return std::nullopt;
  Supervision report;
  int end = 0;
  bool complete = read_number(text, "end", end) && end >= 0 &&
                  end <= static_cast<int>(Supervision::End::stopped);
  fields(report, [&](const char* key, auto& value) {
    complete = read_number(text, key, value) && complete;
  });
  if (!complete || !possible(report)) return std::nullopt;
  report.end = static_cast<Supervision::End>(end);
  return report;
}

}  // namespace stackx::inspector
