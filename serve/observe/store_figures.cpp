#include "serve/observe/store_figures.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <optional>
#include <string>

#include "specs/error.hpp"
#include "store/questions/questions.hpp"
#include "store/store.hpp"

namespace stackx::serve {
namespace {

namespace fs = std::filesystem;
using Labels = std::vector<std::pair<std::string, std::string>>;

class Figures {
 public:
  // A value of the family `name`, made at its first.
  void add(const char* name, const char* help, const Labels& labels, double value) {
    auto found = std::ranges::find(families_, name, &prometheus::MetricFamily::name);
    if (found == families_.end())
      found = families_.insert(found, prometheus::MetricFamily{name, help, prometheus::MetricType::Gauge, {}});
    prometheus::ClientMetric metric;
    for (const auto& [label, text] : labels) metric.label.push_back({label, text});
    metric.gauge.value = value;
    found->metric.push_back(std::move(metric));
  }
  std::vector<prometheus::MetricFamily> take() { return std::move(families_); }

 private:
  std::vector<prometheus::MetricFamily> families_;
};

double size_of(const fs::path& file) {
  std::error_code missing;
  const auto size = fs::file_size(file, missing);
  return missing ? 0 : static_cast<double>(size);
}

void add_results(Figures& figures, const store::Questions& questions) {
  std::map<std::string, double> outcomes;
  std::int64_t last = 0;
  for (const auto& series : questions.series({.whose = store::all_results})) {
    outcomes["ok"] += static_cast<double>(series.ok);
    last = std::max(last, series.last);
  }
  for (const auto& failures : questions.failures()) outcomes[failures.outcome] += static_cast<double>(failures.inspections);
  for (const auto& [outcome, inspections] : outcomes)
    figures.add("stackx_inspections", "Inspections in the store, by outcome", {{"outcome", outcome}}, inspections);
  if (last > 0) figures.add("stackx_last_result_timestamp_seconds", "When the newest inspection ended", {}, static_cast<double>(last) / 1000);
}

void add_campaigns(Figures& figures, const store::Questions& questions) {
  constexpr std::size_t newest = 50;  // by id: old ones are history
  const auto campaigns = questions.campaigns();
  figures.add("stackx_campaigns", "Campaigns in the store", {}, static_cast<double>(campaigns.size()));
  for (std::size_t i = 0; i < std::min(newest, campaigns.size()); ++i) {
    const auto& one = campaigns[i];
    const Labels labels{{"campaign", one.id.substr(0, 12)}, {"project", one.project}};
    figures.add("stackx_campaign_planned_inspections", "Inspections that the plan holds at most", labels, static_cast<double>(one.planned));
    figures.add("stackx_campaign_done_inspections", "Inspections that are in the store", labels, static_cast<double>(one.done));
    figures.add("stackx_campaign_failed_inspections", "Of these, those that failed", labels, static_cast<double>(one.failed));
  }
}

// How a device was during the newest inspection on it: what NVML told after each sample, summed up. Devices on which nothing
// ended for an hour are left out, as is what no driver told.
constexpr std::int64_t last_window_ms = 3'600'000;

std::optional<store::Measurement> newest_of(const store::Questions& questions, const store::SeriesSums& series) {
  const auto occasions = questions.occasions(series);
  const auto occasion = std::ranges::max_element(occasions, {}, &store::OccasionSums::first);
  if (occasion == occasions.end()) return std::nullopt;
  auto measurements = questions.inspections(series, *occasion);
  const auto newest = std::ranges::max_element(measurements, {}, &store::Measurement::finished);
  if (newest == measurements.end()) return std::nullopt;
  return std::move(*newest);
}

struct Column {
  const char *name, *family, *help;
  double unit;
};
constexpr Column columns[] = {
    {"sm_clock_mhz", "stackx_gpu_sm_clock_hertz", "Clock of the multiprocessors, mean of the newest inspection's samples", 1e6},
    {"memory_clock_mhz", "stackx_gpu_memory_clock_hertz", "Clock of the memory, mean of the newest inspection's samples", 1e6},
    {"temperature_c", "stackx_gpu_temperature_celsius", "Temperature, mean of the newest inspection's samples", 1},
    {"power_w", "stackx_gpu_power_watts", "Power, mean of the newest inspection's samples", 1},
    {"gpu_utilization_percent", "stackx_gpu_utilization_ratio", "Time in which a kernel ran, mean over the newest inspection's samples", 1e-2}};

void add_device(Figures& figures, const store::Measurement& measured, const specs::Inspection& inspection) {
  const Labels labels{{"device", measured.device}, {"hostname", measured.hostname}};
  for (const auto& [name, family, help, unit] : columns) {
    const auto found = inspection.conditions.columns.find(name);
    if (found == inspection.conditions.columns.end() || found->second.empty()) continue;
    const double sum = std::accumulate(found->second.begin(), found->second.end(), 0.0);
    figures.add(family, help, labels, sum / static_cast<double>(found->second.size()) * unit);
  }
  if (inspection.samples_ns.empty() || inspection.conditions.columns.empty()) return;
  figures.add("stackx_gpu_throttled_ratio", "Samples of the newest inspection during which something held the clocks down", labels,
              static_cast<double>(inspection.conditions.throttled.size()) / static_cast<double>(inspection.samples_ns.size()));
}

void add_devices(Figures& figures, const store::Questions& questions, const store::Store& store) {
  std::map<std::int64_t, store::SeriesSums> newest;
  for (const auto& series : questions.series({.whose = store::all_results}))
    if (auto& one = newest[series.device]; series.last > one.last) one = series;
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  for (const auto& [device, series] : newest) {
    if (series.last < now - last_window_ms) continue;
    const auto measured = newest_of(questions, series);
    if (measured) add_device(figures, *measured, store.inspection(*measured));
  }
}

// False: it cannot be read.
bool add_store(Figures& figures, const fs::path& store) {
  if (store.empty()) return false;
  figures.add("stackx_store_size_bytes", "The store's file and its log", {}, size_of(store) + size_of(store.string() + "-wal"));
  try {
    const store::Questions questions(store);
    if (!questions.stale()) add_results(figures, questions);
    add_campaigns(figures, questions);
    if (!questions.stale()) add_devices(figures, questions, store::Store::open(store, store::Mode::read_only));
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::vector<prometheus::MetricFamily> store_figures(const fs::path& store) {
  Figures figures;
  const bool readable = add_store(figures, store);
  figures.add("stackx_store_readable", "Whether the store could be read for this scrape", {}, readable ? 1 : 0);
  return figures.take();
}

}  // namespace stackx::serve
