#include "importers/mlperf_loadgen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "importers/collector.hpp"
#include "importers/mll_log.hpp"
#include "importers/mlperf_system.hpp"
#include "importers/words.hpp"
#include "specs/error.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::importers {
namespace {

constexpr std::string_view mlperf_loadgen_tool = "mlperf-loadgen";

// Either file as one: texts by the keys of the detail log.
using Facts = std::map<std::string, std::string>;

std::string squeezed(std::string_view text) {
  std::string result;
  for (const char c : text)
    if (c != ' ') result += specs::to_lower(c);
  return result;
}

// The summary's labels, without spaces and in lower case.
const std::map<std::string, std::string>& summary_keys() {
  static const std::map<std::string, std::string> keys{
      {"sutname", "sut_name"},
      {"scenario", "effective_scenario"},
      {"mode", "effective_test_mode"},
      {"resultis", "result_validity"},
      {"samplespersecond", "result_samples_per_second"},
      {"tokenspersecond", "result_tokens_per_second"},
      {"completedtokenspersecond", "result_completed_tokens_per_second"},
      {"samplesperquery", "result_samples_per_query"},
      {"scheduledsamplespersecond", "result_scheduled_samples_per_sec"},
      {"completedsamplespersecond", "result_completed_samples_per_sec"},
      {"minlatency(ns)", "result_min_latency_ns"},
      {"maxlatency(ns)", "result_max_latency_ns"},
      {"meanlatency(ns)", "result_mean_latency_ns"},
      {"target_qps", "effective_target_qps"},
      {"target_latency(ns)", "effective_target_latency_ns"},
      {"min_query_count", "effective_min_query_count"}};
  return keys;
}

Facts read_summary(std::string_view text) {
  Facts facts;
  for (const auto line : lines_of(text)) {
    const auto colon = line.find(':');
    if (colon == line.npos) continue;
    const auto label = squeezed(line.substr(0, colon));
    const auto value = std::string(specs::trim(line.substr(colon + 1)).text);
    if (const auto known = summary_keys().find(label); known != summary_keys().end())
      facts.emplace(known->second, value);
    // "90th percentile latency (ns)", "99.0th ...": the result; "90.00 percentile ...": statistics
    const auto percentile = leading_number(label);
    if (!percentile || !label.ends_with("percentilelatency(ns)")) continue;
    facts.emplace(fmt::format("result_{:.2f}_percentile_latency_ns", *percentile), value);
    if (holds(label, "thpercentile"))
      facts.emplace("effective_target_latency_percentile", fmt::format("{}", *percentile / 100));
  }
  return facts;
}

Facts read_detail(std::string_view text) {
  Facts facts;
  for (const auto& event : read_mll(text, {"result_", "effective_", "sut_name", "qsl_name",
                                           "loadgen_version", "test_datetime"})
                               .events)
    if (event.value.is_string())
      facts.emplace(event.key, event.value.get<std::string>());
    else if (event.value.is_number() || event.value.is_boolean())
      facts.emplace(event.key, event.value.dump());
  return facts;
}

bool is_summary(std::string_view text) { return holds(text, "MLPerf Results Summary"); }

struct LogPlace {
  std::string prefix, system, model;
};

// PREFIX/results/SYSTEM/BENCHMARK/SCENARIO/.../file
std::optional<LogPlace> log_place_of(const std::string& file) {
  const auto parts = path_parts(file);
  const auto results = std::ranges::find(parts, "results");
  const auto at = static_cast<std::size_t>(results - parts.begin());
  if (at + 4 >= parts.size()) return std::nullopt;
  LogPlace place{"", parts[at + 1], parts[at + 2]};
  for (std::size_t i = 0; i < at; ++i) place.prefix += parts[i] + "/";
  return place;
}

std::string fact(const Facts& facts, const std::string& key) {
  const auto found = facts.find(key);
  return found == facts.end() ? "" : found->second;
}

class LoadGenReader {
 public:
  LoadGenReader(Collector& collector, std::string at) : collector_(collector), at_(std::move(at)) {}

  void read(const Facts& facts, const std::string& model, const MlperfSystem* system,
            const std::string& system_name) {
    const auto mode = fact(facts, "effective_test_mode");
    const auto validity = fact(facts, "result_validity");
    if (!mode.empty() && !mode.starts_with("Performance") && mode != "SubmissionRun" &&
        !mode.starts_with("FindPeak"))
      return collector_.remark(at_, fmt::format("{} is no performance run", one_line(mode, 60)));
    if (validity.empty())
      return collector_.remark(at_, "says neither VALID nor INVALID: aborted, or cut off");
    if (validity != "VALID")
      return collector_.remark(
          at_, fmt::format("the run is {}: LoadGen's rules were not met", one_line(validity, 60)));
    auto published = collector_.draft();
    published.workload.pi = model.empty() ? "mlperf-loadgen" : "infer_" + name_of(model);
    const auto scenario = squeezed(fact(facts, "effective_scenario"));  // "Single Stream", too
    if (!scenario.empty()) published.workload.params["scenario"] = value_of(scenario);
    if (model.empty()) {
      const auto sut = fact(facts, "sut_name");
      if (is_stated(sut)) published.workload.params["sut"] = value_of(sut);
    }
    describe(published, facts, system, system_name);
    results(published, facts, scenario);
  }

 private:
  static void describe(specs::Published& published, const Facts& facts, const MlperfSystem* system,
                       const std::string& system_name) {
    for (const char* key : {"sut_name", "qsl_name", "loadgen_version", "test_datetime"})
      detail(published, key, fact(facts, key));
    detail(published, "validity", "VALID");
    detail(published, "target_qps", fact(facts, "effective_target_qps"));
    detail(published, "target_latency_ns", fact(facts, "effective_target_latency_ns"));
    detail(published, "system", system_name);
    if (!system) return;
    state_hardware(published, system->hardware());
    published.devices = system->devices;
    for (const auto& [component, version] : system->versions)
      state_version(published, component, version);
    state_version(published, "framework", system->framework);
    state_version(published, "os", system->os);
    detail(published, "submitter", system->submitter);
    detail(published, "division", system->division);
    detail(published, "host_cpu", system->cpu);
    detail(published, "software", system->software);
  }

  bool rate(specs::Published published, const Facts& facts, const std::string& key,
            const char* metric) {
    const auto text = fact(facts, key);
    if (text.empty()) return false;
    const auto value = number_of(text.substr(0, text.find(' ')));
    if (!value) {
      collector_.remark(
          at_, fmt::format("{}: expected a number, found \"{}\"", key, one_line(text, 60)));
      return true;
    }
    published.metric = metric;
    published.value = *value;
    published.statistic = "single";
    for (const char* latency : {"result_mean_latency_ns", "result_99.00_percentile_latency_ns"})
      detail(published, latency + 7, fact(facts, latency));
    collector_.add(std::move(published), at_);
    return true;
  }

  bool latency(specs::Published published, const Facts& facts, const char* usual) {
    const auto stated = number_of(fact(facts, "effective_target_latency_percentile"));
    const double percent = 100 * stated.value_or(*number_of(usual));
    const auto milliseconds = [&](const std::string& key) {
      const auto value = number_of(fact(facts, key));
      return value ? std::optional(*value / 1e6) : std::nullopt;
    };
    const auto value = milliseconds(fmt::format("result_{:.2f}_percentile_latency_ns", percent));
    if (!value) return false;
    published.metric = "latency_ms";
    published.value = *value;
    published.statistic = fmt::format("p{}", std::round(percent * 100) / 100);
    published.min = milliseconds("result_min_latency_ns");
    published.max = milliseconds("result_max_latency_ns");
    detail(published, "mean_latency_ns", fact(facts, "result_mean_latency_ns"));
    collector_.add(std::move(published), at_);
    return true;
  }

  void results(const specs::Published& published, const Facts& facts, const std::string& scenario) {
    bool found = false;
    if (scenario == "singlestream") {
      found = latency(published, facts, "0.9");
    } else if (scenario == "multistream") {
      found = rate(published, facts, "result_samples_per_query", "streams") ||
              latency(published, facts, "0.99");
    } else if (scenario == "server" || scenario == "interactive") {
      found = rate(published, facts, "result_scheduled_samples_per_sec", "queries_per_s") ||
              rate(published, facts, "result_completed_samples_per_sec", "queries_per_s");
      found |= rate(published, facts, "result_completed_tokens_per_second", "tokens_per_s");
    } else if (scenario == "offline") {
      found = rate(published, facts, "result_samples_per_second", "samples_per_s");
      found |= rate(published, facts, "result_tokens_per_second", "tokens_per_s");
    } else {
      return collector_.remark(
          at_, fmt::format("expected the scenario SingleStream, MultiStream, Server or Offline, "
                           "found \"{}\"",
                           one_line(scenario, 60)));
    }
    if (!found)
      collector_.remark(at_, fmt::format("the result of scenario {} is missing", scenario));
  }

  Collector& collector_;
  std::string at_;
};

constexpr const char* expectation =
    "a VALID performance run of MLPerf LoadGen (mlperf_log_summary.txt, mlperf_log_detail.txt)";

// Both files of a run say the same: the summary, which also programs of other sizes can read.
std::vector<std::string> logs_in(const Tree& tree) {
  std::map<std::string, std::string> chosen;
  for (const std::string_view wanted : {"mlperf_log_detail.txt", "mlperf_log_summary.txt"})
    for (const auto& file : tree.files())
      if (const auto parts = path_parts(file); !parts.empty() && parts.back() == wanted)
        chosen[file.substr(0, file.size() - wanted.size())] = file;
  std::vector<std::string> logs;
  for (const auto& [directory, file] : chosen) logs.push_back(file);
  return logs;
}

}  // namespace

bool matches_mlperf_loadgen(std::string_view text) {
  const auto head = text.substr(0, 1 << 20);
  return (is_summary(head) && holds(head, "Scenario")) ||
         (is_mll_log(text) && holds(head, "loadgen"));
}

Imported read_mlperf_loadgen(std::string_view text, const std::string& name, const Origin& origin) {
  Collector collector(name, mlperf_loadgen_tool, origin);
  const auto facts = is_summary(text) ? read_summary(text) : read_detail(text);
  LoadGenReader(collector, "").read(facts, "", nullptr, "");
  return collector.finish(expectation);
}

bool matches_mlperf_loadgen_tree(const Tree& tree) { return !logs_in(tree).empty(); }

Imported read_mlperf_loadgen_tree(const Tree& tree, const Origin& origin) {
  Collector collector(tree.name(), mlperf_loadgen_tool, origin);
  for (const auto& file : logs_in(tree)) {
    try {
      const auto text = tree.read(file);
      const auto facts = is_summary(text) ? read_summary(text) : read_detail(text);
      const auto place = log_place_of(file);
      std::optional<MlperfSystem> system;
      if (place && tree.has(place->prefix + "systems/" + place->system + ".json"))
        system =
            read_mlperf_system(tree.read(place->prefix + "systems/" + place->system + ".json"));
      LoadGenReader(collector, file)
          .read(facts, place ? place->model : "", system ? &*system : nullptr,
                place ? place->system : "");
    } catch (const Error& error) {
      collector.remark(file, error.what());
    }
  }
  return collector.finish(expectation);
}

}  // namespace stackx::importers
