#include "importers/nvbench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "importers/collector.hpp"
#include "importers/words.hpp"

namespace stackx::importers {
namespace {

using specs::Node;

struct Device {
  std::string name, sm;
};

// tag -> number; what is not finite is left out.
using Summaries = std::map<std::string, double>;

Summaries read_summaries(const Node& state) {
  Summaries result;
  const auto list = state.find("summaries");
  if (!list) return result;
  for (const auto& summary : list->items()) {
    const auto data = summary.find("data");
    if (!data) continue;
    for (const auto& item : data->items()) {
      if (item.at("name").text() != "value") continue;
      if (const auto value = number_of(item.at("value").scalar()))
        result[summary.at("tag").text()] = *value;
    }
  }
  return result;
}

std::optional<double> of(const Summaries& summaries, const std::string& tag) {
  const auto found = summaries.find(tag);
  return found == summaries.end() ? std::nullopt : std::optional(found->second);
}

class NvbenchReader {
 public:
  NvbenchReader(const Node& document, const Origin& origin)
      : document_(document), collector_(document.file(), "nvbench", origin) {}

  Imported read() {
    if (const auto devices = document_.find("devices"))
      for (const auto& device : devices->items()) {
        const auto sm = device.find("sm_version");
        devices_[device.at("id").integer()] = {device.at("name").text(), sm ? sm->scalar() : ""};
      }
    for (const auto& benchmark : document_.at("benchmarks").items())
      if (const auto states = benchmark.find("states"))
        for (const auto& state : states->items())
          read_state(benchmark.at("name").nonempty(), state);
    return collector_.finish("states with a time (tag nv/cold/time/gpu/mean)");
  }

 private:
  void read_state(const std::string& benchmark, const Node& state) {
    if (const auto skipped = state.find("is_skipped"); skipped && skipped->boolean()) {
      const auto reason = state.find("skip_reason");
      return collector_.remark(state.pointer(),
                               fmt::format("{} was skipped: {}", one_line(benchmark, 100),
                                           reason ? one_line(reason->text(), 200) : "no reason"));
    }
    const auto summaries = read_summaries(state);
    for (const char* way : {"nv/cold/time/gpu/", "nv/batch/time/gpu/", "nv/cpu_only/time/cpu/"})
      if (of(summaries, std::string(way) + "mean"))
        return read_times(draft(benchmark, state), state, summaries, way);
    collector_.remark(state.pointer(), "has no mean time that is a number");
  }

  specs::Published draft(const std::string& benchmark, const Node& state) {
    auto published = collector_.draft();
    published.workload = {"nvbench", {{"benchmark", value_of(benchmark)}}};
    if (const auto axes = state.find("axis_values"))
      for (const auto& axis : axes->items()) {
        auto name = name_of(axis.at("name").nonempty()).substr(0, 120);
        if (name == "benchmark") name = "axis_benchmark";
        published.workload.params[name] = value_of(axis.at("value").scalar());
      }
    if (const auto id = state.find("device"); id && devices_.contains(id->integer())) {
      const Device& device = devices_[id->integer()];
      state_hardware(published, device.name);
      detail(published, "sm_version", device.sm);
      published.devices = 1;
    }
    return published;
  }

  void read_times(specs::Published published, const Node& state, const Summaries& summaries,
                  const std::string& way) {
    const auto kind = way.substr(0, way.find('/', 3) + 1);  // "nv/cold/"
    const specs::Published bare = published;
    const double mean = *of(summaries, way + "mean");
    published.metric = "elapsed_ms";
    published.value = mean * 1e3;
    published.statistic = "mean";
    const auto samples = of(summaries, kind + "sample_size");
    if (samples && *samples >= 1 && *samples < 1e15)
      published.runs = static_cast<std::uint64_t>(*samples);
    if (const auto noise = of(summaries, way + "stdev/relative"); noise && *noise >= 0)
      published.stdev = *noise * mean * 1e3;
    if (const auto least = of(summaries, way + "min"), most = of(summaries, way + "max");
        least && most) {
      published.min = *least * 1e3;
      published.max = *most * 1e3;
    }
    if (const auto median = of(summaries, way + "median"))
      detail(published, "median_ms", fmt::format("{}", *median * 1e3));
    detail(published, "timing", kind);
    if (const auto cpu = of(summaries, kind + "time/cpu/mean"))
      detail(published, "cpu_time_ms", fmt::format("{}", *cpu * 1e3));
    const auto runs = published.runs;
    collector_.add(std::move(published), state.pointer());
    for (const auto& [tag, metric] : std::initializer_list<std::pair<const char*, const char*>>{
             {"bw/global/bytes_per_second", "bytes_per_s"}, {"bw/item_rate", "items_per_s"}})
      if (const auto rate = of(summaries, kind + tag)) {
        auto other = bare;
        other.metric = metric;
        other.value = *rate;
        other.statistic = "mean";
        other.runs = runs;
        collector_.add(std::move(other), state.pointer());
      }
  }

  const Node& document_;
  Collector collector_;
  std::map<std::int64_t, Device> devices_;
};

}  // namespace

bool matches_nvbench(const Node& document) {
  if (!document.json().is_object() || !document.json().contains("benchmarks")) return false;
  const auto& benchmarks = document.json()["benchmarks"];
  return benchmarks.is_array() && !benchmarks.empty() && benchmarks[0].is_object() &&
         benchmarks[0].contains("states");
}

Imported read_nvbench(const Node& document, const Origin& origin) {
  return NvbenchReader(document, origin).read();
}

}  // namespace stackx::importers
