#include "specs/format/quantity.hpp"

#include <charconv>
#include <cmath>
#include <utility>

#include "specs/version/text_scanner.hpp"

namespace stackx::specs {
namespace {

constexpr std::pair<std::string_view, double> suffixes[] = {
    {"", 1},        {"m", 1e-3},    {"k", 1e3},     {"M", 1e6},     {"G", 1e9},
    {"T", 1e12},    {"P", 1e15},    {"E", 1e18},    {"Ki", 0x1p10}, {"Mi", 0x1p20},
    {"Gi", 0x1p30}, {"Ti", 0x1p40}, {"Pi", 0x1p50}, {"Ei", 0x1p60},
};

constexpr const char* expectation =
    "expected a quantity as Kubernetes writes it, like \"2\", \"750m\", \"512M\" or \"4Gi\"";

}  // namespace

std::expected<double, std::string> parse_quantity(std::string_view text) {
  text = trim(text).text;
  double number = 0;
  // "E" alone is a suffix: without digits behind it from_chars leaves it there.
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || text.empty() || !(is_digit(text[0]) || text[0] == '.'))
    return std::unexpected(expectation);
  const auto suffix = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const auto& [name, factor] : suffixes) {
    if (suffix != name) continue;
    const double value = number * factor;
    if (value > 0 && std::isfinite(value)) return value;
    return std::unexpected("expected more than nothing");
  }
  return std::unexpected(expectation);
}

}  // namespace stackx::specs
