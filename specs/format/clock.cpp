#include "specs/format/clock.hpp"

#include <fmt/format.h>

namespace stackx::specs {
namespace {

// Two digits at `p`, or -1.
int two_digits(const char* p) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return digit(p[0]) && digit(p[1]) ? (p[0] - '0') * 10 + (p[1] - '0') : -1;
}

// The last `digits` of a number that is not negative.
void put_digits(std::string& text, std::size_t at, std::size_t digits, std::int64_t number) {
  for (std::size_t i = digits; i-- > 0; number /= 10) text[at + i] = static_cast<char>('0' + number % 10);
}

}  // namespace

std::string rfc3339_utc(std::chrono::system_clock::time_point time) {
  return utc_text(
      std::chrono::floor<std::chrono::milliseconds>(time).time_since_epoch().count(), true);
}

bool parse_utc(std::string_view text, std::int64_t& milliseconds) {
  namespace chrono = std::chrono;
  if (text.size() != 20 && text.size() != 24) return false;
  const char* const t = text.data();
  const bool shape = t[4] == '-' && t[7] == '-' && t[10] == 'T' && t[13] == ':' && t[16] == ':' &&
                     text.back() == 'Z' && (text.size() == 20 || t[19] == '.');
  const int century = two_digits(t), year = two_digits(t + 2), month = two_digits(t + 5),
            day = two_digits(t + 8), hour = two_digits(t + 11), minute = two_digits(t + 14),
            second = two_digits(t + 17);
  if (!shape || century < 19 || year < 0 || hour < 0 || hour > 23 || minute < 0 || minute > 59 ||
      second < 0 || second > 59 || month < 1 || day < 1)
    return false;
  const chrono::year_month_day date{chrono::year(century * 100 + year),
                                    chrono::month(static_cast<unsigned>(month)),
                                    chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return false;
  std::int64_t fraction = 0;
  if (text.size() == 24) {
    if (two_digits(t + 20) < 0 || !(t[22] >= '0' && t[22] <= '9')) return false;
    fraction = two_digits(t + 20) * 10 + (t[22] - '0');
  }
  const std::int64_t days = chrono::sys_days(date).time_since_epoch().count();
  milliseconds = ((days * 24 + hour) * 60 + minute) * 60'000 + second * 1000 + fraction;
  return true;
}

std::string utc_text(std::int64_t milliseconds, bool with_fraction) {
  namespace chrono = std::chrono;
  const chrono::sys_time<chrono::milliseconds> moment{chrono::milliseconds(milliseconds)};
  const auto day = chrono::floor<chrono::days>(moment);
  const chrono::year_month_day date(day);
  const std::int64_t rest = (moment - day).count(), second = rest / 1000;
  const int year = static_cast<int>(date.year());
  if (year >= 0 && year <= 9999) {  // what documents hold, once an inspection: a tenth of what formatting takes
    std::string text = with_fraction ? "0000-00-00T00:00:00.000Z" : "0000-00-00T00:00:00Z";
    put_digits(text, 0, 4, year);
    put_digits(text, 5, 2, static_cast<unsigned>(date.month()));
    put_digits(text, 8, 2, static_cast<unsigned>(date.day()));
    put_digits(text, 11, 2, second / 3600);
    put_digits(text, 14, 2, second / 60 % 60);
    put_digits(text, 17, 2, second % 60);
    if (with_fraction) put_digits(text, 20, 3, rest % 1000);
    return text;
  }
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}Z", year, static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     second / 3600, second / 60 % 60, second % 60,
                     with_fraction ? fmt::format(".{:03}", rest % 1000) : "");
}

}  // namespace stackx::specs
