#include "analysis/published/near_workload.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "specs/result/metric.hpp"

namespace stackx::analysis {
namespace {

// Padding may be 0, which has no logarithm: 0 and 1 are one octave apart.
double apart(double a, double b) {
  const double shift = a > 0 && b > 0 ? 0 : 1;
  return std::abs(std::log2((a + shift) / (b + shift)));
}

std::string asked_numbers(const specs::Workload& asked, const specs::Workload& other) {
  // The order in which people write a product; the others as they sort.
  std::string text;
  const auto add = [&](const std::string& key) {
    const auto value = asked.params.find(key);
    if (value == asked.params.end() || !shape_value(value->second)) return;
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", key, other.params.at(key));
  };
  const bool product = asked.pi == "matmul";
  if (product)
    for (const char* key : {"m", "n", "k"}) add(key);
  for (const auto& [key, value] : asked.params)
    if (!product || (key != "m" && key != "n" && key != "k")) add(key);
  return text;
}

}  // namespace

std::optional<double> shape_value(const std::string& value) {
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || end != value.data() + value.size()) return std::nullopt;
  if (!std::isfinite(number) || number < 0) return std::nullopt;
  return number;
}

std::optional<double> octaves(const specs::Workload& asked, const specs::Workload& other) {
  if (asked.pi != other.pi) return std::nullopt;
  double sum = 0;
  for (const auto& [key, value] : asked.params) {
    const auto found = other.params.find(key);
    if (found == other.params.end()) return std::nullopt;
    if (found->second == value) continue;
    const auto a = shape_value(value), b = shape_value(found->second);
    if (!a || !b) return std::nullopt;
    sum += apart(*a, *b) * apart(*a, *b);
  }
  return std::sqrt(sum);
}

std::optional<Unusual> unusual(const specs::Workload& workload) {
  static const specs::Workload usual{"matmul", {{"m", usual_product_size}, {"n", usual_product_size}, {"k", usual_product_size}}};
  const auto away = octaves(usual, workload);
  if (!away) return std::nullopt;
  return Unusual{specs::flop_of(workload).value_or(0) < *specs::flop_of(usual), *away};
}

bool asks_for_shape(const specs::Workload& asked) {
  for (const auto& [key, value] : asked.params)
    if (shape_value(value)) return true;
  return false;
}

std::string nearness_text(const specs::Workload& asked, const specs::Workload& other) {
  const auto distance = octaves(asked, other);
  if (!distance) return "not comparable";
  if (*distance == 0) return "as asked";
  std::string text = fmt::format("nearest published shape {}: {:.1f} octaves away",
                                 asked_numbers(asked, other), *distance);
  specs::Workload whole = other;  // what was not asked for is as it is there
  for (const auto& [key, value] : asked.params) whole.params[key] = value;
  const auto wanted = specs::flop_of(whole), there = specs::flop_of(other);
  if (wanted && there) text += fmt::format(", {:.2g}x the flop", *there / *wanted);
  return text;
}

}  // namespace stackx::analysis
