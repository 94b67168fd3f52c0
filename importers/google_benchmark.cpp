#include "importers/google_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "importers/collector.hpp"
#include "importers/words.hpp"

namespace stackx::importers {
namespace {

using specs::Json;
using specs::Node;

constexpr std::string_view google_benchmark_tool = "google-benchmark";

struct Group {
  Node place;
  std::vector<Node> iterations;
  std::map<std::string, Node> aggregates;  // by name: mean, median, stddev, cv
  bool bad = false;                        // a repetition failed
};

double milliseconds(const Node& row) {
  const auto unit = row.find("time_unit");
  const std::string name = unit ? unit->text() : "ns";
  for (const auto& [known, factor] : std::initializer_list<std::pair<const char*, double>>{
           {"ns", 1e-6}, {"us", 1e-3}, {"ms", 1}, {"s", 1e3}})
    if (name == known) return factor;
  unit->fail(fmt::format("expected ns, us, ms or s, found \"{}\"", one_line(name, 60)));
}

// Absent, null (it was NaN) and what is no number: nothing.
std::optional<double> number(const Node& row, std::string_view key) {
  const auto node = row.find(key);
  if (!node || !node->json().is_number()) return std::nullopt;
  return node->json().get<double>();
}

std::string text(const Node& row, std::string_view key) {
  const auto node = row.find(key);
  return node && !node->json().is_structured() ? node->scalar() : "";
}

bool failed(const Node& row, Collector& collector) {
  for (const char* mark : {"error_occurred", "skipped"}) {
    const auto node = row.find(mark);
    if (!node || !node->json().is_boolean() || !node->boolean()) continue;
    const auto why = text(row, mark[0] == 'e' ? "error_message" : "skip_message");
    collector.remark(row.pointer(),
                     fmt::format("{} {}: {}", one_line(text(row, "name"), 200),
                                 mark[0] == 'e' ? "failed" : "was skipped", one_line(why, 200)));
    return true;
  }
  return false;
}

const std::array<std::string_view, 22>& own_keys() {
  static constexpr std::array<std::string_view, 22> keys{"name",
                                                         "run_name",
                                                         "run_type",
                                                         "family_index",
                                                         "per_family_instance_index",
                                                         "repetitions",
                                                         "threads",
                                                         "repetition_index",
                                                         "iterations",
                                                         "real_time",
                                                         "cpu_time",
                                                         "time_unit",
                                                         "aggregate_name",
                                                         "aggregate_unit",
                                                         "label",
                                                         "error_occurred",
                                                         "error_message",
                                                         "skipped",
                                                         "skip_message",
                                                         "bytes_per_second",
                                                         "items_per_second",
                                                         "big_o"};
  return keys;
}

class GoogleBenchmarkReader {
 public:
  GoogleBenchmarkReader(const Node& document, const Origin& origin)
      : document_(document), collector_(document.file(), google_benchmark_tool, origin) {}

  Imported read() {
    for (const auto& row : document_.at("benchmarks").items()) sort_in(row);
    for (const auto& name : order_) read_group(name, groups_.at(name));
    return collector_.finish("rows of benchmarks with real_time");
  }

 private:
  void sort_in(const Node& row) {
    const auto full_name = row.at("name").nonempty();
    auto aggregate = text(row, "aggregate_name");
    auto name = row.find("run_name") ? row.at("run_name").nonempty() : full_name;
    if (!row.find("run_type"))  // before version 1.5 the name says it
      for (const char* ending : {"mean", "median", "stddev", "cv", "BigO", "RMS"})
        if (full_name.ends_with(std::string("_") + ending)) {
          aggregate = ending;
          name = full_name.substr(0, full_name.size() - std::string_view(ending).size() - 1);
        }
    if (aggregate == "BigO" || aggregate == "RMS") return;
    const auto [found, fresh] = groups_.try_emplace(name, Group{row, {}, {}, false});
    if (fresh) order_.push_back(name);
    if (failed(row, collector_))
      found->second.bad = true;
    else if (aggregate.empty())
      found->second.iterations.push_back(row);
    else
      found->second.aggregates.emplace(aggregate, row);
  }

  specs::Published draft(const std::string& name, const Node& row) {
    auto published = collector_.draft();
    published.workload = {"google-benchmark", {{"benchmark", value_of(name)}}};
    if (const auto context = document_.find("context")) {
      for (const auto& [key, value] : context->members())
        if (!value.json().is_structured() && !value.json().is_null())
          detail(published, "context_" + key, value.scalar());
    }
    detail(published, "label", text(row, "label"));
    for (const auto& [key, value] : row.members())
      if (std::ranges::find(own_keys(), key) == own_keys().end() && value.json().is_number())
        detail(published, "counter_" + key, value.scalar());
    detail(published, "iterations", text(row, "iterations"));
    detail(published, "threads", text(row, "threads"));
    return published;
  }

  // The values of a key in all repetitions that state it; none if one is not positive.
  std::vector<double> values(const Group& group, const char* key, bool time) {
    std::vector<double> result;
    for (const auto& row : group.iterations) {
      const auto value = number(row, key);
      if (value) result.push_back(*value * (time ? milliseconds(row) : 1));
      if (!value && key == std::string_view("real_time"))
        collector_.remark(row.pointer(), fmt::format("{} is no number: left out", key));
    }
    return result;
  }

  void read_group(const std::string& name, const Group& group) {
    if (group.bad && group.iterations.empty() && group.aggregates.empty()) return;
    if (group.iterations.empty()) return read_aggregates(name, group);
    const auto times = values(group, "real_time", true);
    if (times.empty()) return;
    const Node& row = group.iterations.front();
    auto published = draft(name, row);
    published.metric = "elapsed_ms";
    summarise(published, times, "median");
    if (const auto cpu = values(group, "cpu_time", true); !cpu.empty()) {
      specs::Published processor;
      summarise(processor, cpu, "median");
      detail(published, "cpu_time_ms", fmt::format("{}", processor.value));
    }
    collector_.add(std::move(published), row.pointer());
    for (const auto& [key, metric] : std::initializer_list<std::pair<const char*, const char*>>{
             {"bytes_per_second", "bytes_per_s"}, {"items_per_second", "items_per_s"}}) {
      const auto rates = values(group, key, false);
      if (rates.empty()) continue;
      auto rate = draft(name, row);
      rate.metric = metric;
      summarise(rate, rates, "median");
      collector_.add(std::move(rate), row.pointer());
    }
  }

  // --benchmark_report_aggregates_only
  void read_aggregates(const std::string& name, const Group& group) {
    auto centre = group.aggregates.find("median");
    if (centre == group.aggregates.end()) centre = group.aggregates.find("mean");
    if (centre == group.aggregates.end())
      return collector_.remark(group.place.pointer(),
                               fmt::format("{}: neither a median nor a mean", one_line(name, 200)));
    const Node& row = centre->second;
    const auto spread = group.aggregates.find("stddev");
    for (const auto& [key, metric] : std::initializer_list<std::pair<const char*, const char*>>{
             {"real_time", "elapsed_ms"},
             {"bytes_per_second", "bytes_per_s"},
             {"items_per_second", "items_per_s"}}) {
      const auto value = number(row, key);
      if (!value) continue;
      const double factor = metric == std::string_view("elapsed_ms") ? milliseconds(row) : 1;
      auto published = draft(name, row);
      published.metric = metric;
      published.value = *value * factor;
      published.statistic = centre->first;
      if (const auto runs = number(row, "repetitions"); runs && *runs >= 1 && *runs < 1e9)
        published.runs = static_cast<std::uint64_t>(*runs);
      if (spread != group.aggregates.end())
        if (const auto stdev = number(spread->second, key)) published.stdev = *stdev * factor;
      published.details.erase("iterations");  // an aggregate's counts repetitions
      collector_.add(std::move(published), row.pointer());
    }
  }

  const Node& document_;
  Collector collector_;
  std::vector<std::string> order_;
  std::map<std::string, Group> groups_;
};

}  // namespace

bool matches_google_benchmark(const Node& document) {
  if (!document.json().is_object() || !document.json().contains("benchmarks")) return false;
  const Json& rows = document.json()["benchmarks"];
  return rows.is_array() && document.json().contains("context") &&
         (rows.empty() || (rows[0].is_object() && rows[0].contains("name")));
}

Imported read_google_benchmark(const Node& document, const Origin& origin) {
  return GoogleBenchmarkReader(document, origin).read();
}

}  // namespace stackx::importers
