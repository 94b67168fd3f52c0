#include "advisor/price.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "specs/error.hpp"
#include "specs/format/text_file.hpp"

namespace stackx::advisor {
namespace {

struct Scale {
  double units = 0;  // of the rate's unit in what is paid for
  std::string per;
};

std::optional<Scale> scale_of(const std::string& unit) {
  if (unit == "GFLOP/s" || unit == "GOP/s")
    return Scale{1e6, unit == "GFLOP/s" ? "10^15 flop" : "10^15 operations"};
  if (unit == "TFLOP/s") return Scale{1e3, "10^15 flop"};
  if (unit == "GB/s") return Scale{1e3, "TB"};
  if (unit.size() > 2 && unit.ends_with("/s"))
    return Scale{1e6, "million " + unit.substr(0, unit.size() - 2)};
  return std::nullopt;
}

}  // namespace

std::optional<Cost> cost_of(double price, double rate, const std::string& unit,
                            const std::optional<specs::Interval>& rate_interval, double devices) {
  const auto scale = scale_of(unit);
  const auto cost = [&](double at) { return price * devices / 3600 * scale->units / at; };
  if (!scale || !(price > 0) || !(rate > 0) || !std::isfinite(rate) || !(devices > 0))
    return std::nullopt;
  Cost result{cost(rate), scale->per, std::nullopt};
  if (rate_interval && rate_interval->low > 0)
    result.interval = specs::Interval{cost(rate_interval->high), cost(rate_interval->low),
                                      rate_interval->coverage};
  return result;
}

double price_from(const std::string& text) {
  double price = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, price);
  if (error == std::errc{} && stop == end && price > 0 && std::isfinite(price)) return price;
  throw bad_input(
      fmt::format("--price {}: expected a price per device-hour, a number above 0 (2.48)",
                  specs::in_quotes(text)));
}

}  // namespace stackx::advisor
