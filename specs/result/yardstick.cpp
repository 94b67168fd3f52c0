#include "specs/result/yardstick.hpp"

#include <algorithm>
#include <cmath>

#include "specs/result/inspection.hpp"
#include "specs/result/order_statistics.hpp"

namespace stackx::specs {
namespace {

constexpr double megabyte = 1e6;

bool in_bytes(const Metric& metric) { return metric.unit == "B"; }

std::optional<double> milliseconds_of(const Inspection& inspection) {
  if (inspection.samples_ns.empty()) return std::nullopt;
  const std::vector<double> samples(inspection.samples_ns.begin(), inspection.samples_ns.end());
  return quantile(samples, 0.5) / 1e6;
}

std::optional<double> time_of(const Inspection& inspection) {
  const auto sample = milliseconds_of(inspection);
  return sample ? std::optional(*sample / runs_a_sample(inspection)) : std::nullopt;
}

std::optional<double> import_of(const Inspection& inspection) {
  for (const auto& phase : inspection.phases)
    if ((phase.name == "load" || phase.name == "import") && phase.duration_ns > 0)
      return static_cast<double>(phase.duration_ns) / 1e6;
  return inspection.workload.pi == "import" ? milliseconds_of(inspection) : std::nullopt;
}

std::optional<double> container_start_of(const Inspection& inspection) {
  for (const auto& phase : inspection.phases)
    if (phase.name == container_start && phase.duration_ns > 0) return static_cast<double>(phase.duration_ns) / 1e6;
  return std::nullopt;
}

std::optional<double> device_memory_of(const Inspection& inspection) {
  if (!inspection.device_memory) return std::nullopt;
  return static_cast<double>(inspection.device_memory->peak_bytes);
}

std::optional<double> error_of(const Inspection& inspection) {
  if (!inspection.check || !std::isfinite(inspection.check->max_relative_error)) return std::nullopt;
  return std::max(inspection.check->max_relative_error, least_error);
}

std::optional<double> ulps_of(const Inspection& inspection) {
  if (!inspection.check || !inspection.check->max_ulps) return std::nullopt;
  return std::max(*inspection.check->max_ulps, least_error);
}

std::optional<double> energy_of(const Inspection& inspection) {
  const auto found = energy_of_run(inspection);
  return found ? std::optional(found->joules) : std::nullopt;
}

// Of a scenario by the percentile that MLPerf ranks it by.
std::optional<double> latency_of(const Inspection& inspection) {
  if (!inspection.scenario) return std::nullopt;
  const auto& latencies = inspection.scenario->latency_ns;
  const auto found = latencies.find(inspection.scenario->name == "single_stream" ? "90" : "99");
  return found == latencies.end() ? std::nullopt : std::optional(found->second / 1e6);
}

// In the metric's own unit, from what every inspection holds.
std::optional<double> derived(const Metric& metric, const Inspection& inspection) {
  if (metric.name == "elapsed_ms") return time_of(inspection);
  if (metric.name == "energy_j") return energy_of(inspection);
  if (metric.name == "latency_ms") return latency_of(inspection);
  if (metric.name == "container_start_ms") return container_start_of(inspection);
  if (metric.name == "import_ms") return import_of(inspection);
  if (metric.name == "max_relative_error") return error_of(inspection);
  if (metric.name == "max_ulps") return ulps_of(inspection);
  // A framework's own counter goes before: it is what the PI stated.
  if (metric.name == "peak_device_memory_bytes" || metric.name == "peak_nvml_memory_bytes") return device_memory_of(inspection);
  if (metric.name == "peak_memory_bytes") return static_cast<double>(inspection.usage.max_rss_bytes);
  return std::nullopt;
}

}  // namespace

std::optional<Yardstick> Yardstick::from(std::string_view name) {
  if (name == "rate") return Yardstick();
  for (const Metric& metric : metrics())
    if (!metric.word.empty() && (metric.word == name || metric.name == name)) return Yardstick(&metric);
  return std::nullopt;
}

std::vector<std::string> Yardstick::words() {
  std::vector<std::string> words;
  for (const Metric& metric : metrics())
    if (!metric.word.empty()) words.emplace_back(metric.word);
  std::ranges::sort(words);
  words.insert(words.begin(), "rate");
  return words;
}

std::string Yardstick::unit() const {
  if (is_rate() || metric_->unit == "1") return "";
  return in_bytes(*metric_) ? "MB" : std::string(metric_->unit);
}

std::string Yardstick::with_unit(std::string_view amount) const {
  const auto of = unit();
  return std::string(amount) + (of.empty() ? "" : " " + of);
}

std::optional<double> Yardstick::amount(const Inspection& inspection) const {
  if (is_rate() || inspection.outcome != Outcome::ok) return std::nullopt;
  const auto stated = inspection.metrics.find(std::string(metric_->name));
  const auto value = stated != inspection.metrics.end() ? std::optional(stated->second) : derived(*metric_, inspection);
  if (!value || !std::isfinite(*value) || !(*value > 0)) return std::nullopt;
  return in_bytes(*metric_) ? *value / megabyte : *value;
}

}  // namespace stackx::specs
