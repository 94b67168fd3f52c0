#include "workspace/words.hpp"

#include <fmt/core.h>

#include <cmath>

namespace stackx::workspace {

std::string grouped(const resolver::BigInt& number) {
  std::string digits = number.str();
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

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

}  // namespace stackx::workspace
