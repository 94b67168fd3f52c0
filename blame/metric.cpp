#include "blame/metric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "analysis/ranking/rates.hpp"
#include "analysis/statistics/statistics.hpp"
#include "workspace/words.hpp"

namespace stackx::blame {
namespace {

using specs::Inspection;

constexpr std::array<std::pair<Metric, const char*>, 5> names{{{Metric::rate, "rate"},
                                                               {Metric::time, "time"},
                                                               {Metric::memory, "memory"},
                                                               {Metric::import, "import"},
                                                               {Metric::error, "error"}}};

constexpr double least_error = 1e-17, failure = 1;  // exact; what gives no result at all

std::optional<double> median_seconds(const Inspection& inspection) {
  std::vector<double> seconds;
  for (const auto sample : inspection.samples_ns) seconds.push_back(static_cast<double>(sample) / 1e9);
  if (seconds.empty()) return std::nullopt;
  return analysis::median(seconds);
}

std::optional<double> import_seconds(const Inspection& inspection) {
  for (const auto& phase : inspection.phases)
    if ((phase.name == "load" || phase.name == "import") && phase.duration_ns > 0) return static_cast<double>(phase.duration_ns) / 1e9;
  if (inspection.workload.pi == "import") return median_seconds(inspection);
  return std::nullopt;
}

double error_of(const Inspection& inspection) {
  if (inspection.check && std::isfinite(inspection.check->max_relative_error))
    return std::clamp(inspection.check->max_relative_error, least_error, 1e300);
  return inspection.outcome == specs::Outcome::ok ? least_error : failure;
}

}  // namespace

std::optional<double> amount_of(const Inspection& inspection, Metric metric) {
  if (metric == Metric::error) return error_of(inspection);
  if (inspection.outcome != specs::Outcome::ok) return std::nullopt;
  switch (metric) {
    case Metric::rate: {
      const auto unit = analysis::unit_of(inspection.work);
      const double rate = analysis::rate_of(inspection.samples_ns, inspection.work, unit);
      if (rate > 0) return rate;
      const auto seconds = median_seconds(inspection);
      return seconds ? std::optional(1 / *seconds) : std::nullopt;
    }
    case Metric::time: return median_seconds(inspection);
    case Metric::memory: return static_cast<double>(inspection.usage.max_rss_bytes);
    case Metric::import: return import_seconds(inspection);
    case Metric::error: break;
  }
  return std::nullopt;
}

std::string amount_in_words(double amount, const Inspection& inspection, Metric metric) {
  switch (metric) {
    case Metric::rate: {
      const auto unit = analysis::unit_of(inspection.work);
      return fmt::format("{:.4g} {}", amount, inspection.work.items > 0 || unit != "items/s" ? unit : "samples/s");
    }
    case Metric::memory: return workspace::bytes(amount);
    case Metric::error: return amount <= least_error ? "no error" : amount >= failure ? "no result" : fmt::format("a relative error of {:.2g}", amount);
    default: return amount < 1 ? fmt::format("{:.3g} ms", amount * 1e3) : workspace::duration(amount);
  }
}

const char* to_string(Metric metric) {
  return std::ranges::find(names, metric, &std::pair<Metric, const char*>::first)->second;
}

std::optional<Metric> metric_from(std::string_view name) {
  for (const auto& [metric, known] : names)
    if (name == known) return metric;
  return std::nullopt;
}

std::vector<std::string> metric_names() {
  std::vector<std::string> result;
  for (const auto& [metric, name] : names) result.emplace_back(name);
  return result;
}

bool is_smaller_better(Metric metric) { return metric != Metric::rate; }

std::optional<double> value_of(const Inspection& inspection, Metric metric) {
  const auto found = amount_of(inspection, metric);
  if (!found || !(*found > 0) || !std::isfinite(*found)) return std::nullopt;
  return is_smaller_better(metric) ? -std::log(*found) : std::log(*found);
}

double ratio_of(double log, Metric metric) { return std::exp(is_smaller_better(metric) ? -log : log); }

}  // namespace stackx::blame
