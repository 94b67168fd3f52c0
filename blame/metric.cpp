#include "blame/metric.hpp"

#include <fmt/format.h>

#include <cmath>

#include "analysis/ranking/rates.hpp"
#include "workspace/words.hpp"

namespace stackx::blame {
namespace {

using specs::Inspection;
using specs::least_error;

constexpr double failure = 1;  // the error of what gives no result at all
constexpr double megabyte = 1e6;

std::optional<double> rate_of(const Inspection& inspection) {
  if (inspection.outcome != specs::Outcome::ok) return std::nullopt;
  const double rate = analysis::rate_of(inspection.samples_ns, inspection.work, analysis::unit_of(inspection.work));
  if (rate > 0) return rate;
  const auto milliseconds = specs::Yardstick::from("time")->amount(inspection);
  return milliseconds ? std::optional(1e3 / *milliseconds) : std::nullopt;
}

// Of a failure, too: how wrong it was.
double error_of(const Inspection& inspection) {
  if (inspection.check && std::isfinite(inspection.check->max_relative_error))
    return std::clamp(inspection.check->max_relative_error, least_error, 1e300);
  return inspection.outcome == specs::Outcome::ok ? least_error : failure;
}

std::string rate_in_words(double amount, const Inspection& inspection) {
  const auto unit = analysis::unit_of(inspection.work);
  return fmt::format("{:.4g} {}", amount, inspection.work.items > 0 || unit != "items/s" ? unit : "samples/s");
}

}  // namespace

bool is_error(const Yardstick& metric) { return metric.word() == "error"; }

std::optional<double> amount_of(const Inspection& inspection, const Yardstick& metric) {
  if (metric.is_rate()) return rate_of(inspection);
  return is_error(metric) ? error_of(inspection) : metric.amount(inspection);
}

std::string amount_in_words(double amount, const Inspection& inspection, const Yardstick& metric) {
  if (metric.is_rate()) return rate_in_words(amount, inspection);
  if (is_error(metric))
    return amount <= least_error ? "no error" : amount >= failure ? "no result" : fmt::format("a relative error of {:.2g}", amount);
  if (metric.unit() == "MB") return workspace::bytes(amount * megabyte);
  if (metric.unit() == "ms" && amount >= 1e3) return workspace::duration(amount / 1e3);
  return metric.with_unit(fmt::format("{:.3g}", amount));
}

std::optional<double> value_of(const Inspection& inspection, const Yardstick& metric) {
  const auto found = amount_of(inspection, metric);
  if (!found || !(*found > 0) || !std::isfinite(*found)) return std::nullopt;
  return metric.smaller_is_better() ? -std::log(*found) : std::log(*found);
}

double ratio_of(double log, const Yardstick& metric) { return std::exp(metric.smaller_is_better() ? -log : log); }

}  // namespace stackx::blame
