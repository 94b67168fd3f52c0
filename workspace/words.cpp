#include "workspace/words.hpp"

#include "specs/format/clock.hpp"

#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <optional>

#include <cmath>

namespace stackx::workspace {

std::string grouped(const resolver::BigInt& number) {
  std::string digits = number.str();
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string counted(const resolver::BigInt& number, const std::string& noun) {
  return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

std::string were(std::size_t number) { return fmt::format("{} {}", number, number == 1 ? "was" : "were"); }

std::string duration(double seconds) {
  if (seconds < 0) return "?";
  if (seconds < 59.95) return fmt::format("{:.{}f} s", seconds, seconds < 10 ? 1 : 0);
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string bytes(double count) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  int unit = 0;
  while (count >= 1000 && unit < 4) count /= 1000, ++unit;
  return fmt::format("{:.{}f} {}", count, unit == 0 ? 0 : 1, units[unit]);
}

namespace {

constexpr int stale_after_days = 90;

std::optional<std::chrono::sys_days> day(const std::string& text) {
  int year = 0;
  unsigned month = 0, day_of_month = 0;
  if (std::sscanf(text.c_str(), "%4d-%2u-%2u", &year, &month, &day_of_month) != 3) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day_of_month)};
  return date.ok() ? std::optional(std::chrono::sys_days(date)) : std::nullopt;
}

// Days from one to the other; 0 where one is no date.
long days_between(const std::string& from, const std::string& to) {
  const auto a = day(from), b = day(to);
  return a && b ? (*b - *a).count() : 0;
}

}  // namespace

std::string today() { return specs::rfc3339_utc(std::chrono::system_clock::now()).substr(0, 10); }

bool is_stale(const std::string& as_of, const std::string& today) { return days_between(as_of, today) > stale_after_days; }

std::string freshness(const std::string& as_of, const std::string& today, const std::string& to_renew) {
  if (!is_stale(as_of, today)) return fmt::format("Facts as of {}", as_of);
  return fmt::format("Facts as of {}, {} days old: what came out since is not known here; {}", as_of, days_between(as_of, today), to_renew);
}

}  // namespace stackx::workspace
