#include "importers/mlperf_training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "importers/collector.hpp"
#include "importers/mll_log.hpp"
#include "importers/mlperf_system.hpp"
#include "importers/words.hpp"
#include "specs/error.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::importers {
namespace {

constexpr std::string_view mlperf_training_tool = "mlperf-training";

struct Run {
  std::optional<double> minutes;  // of a run that reached the target
  std::string failure;            // else why not
  std::string benchmark, division, submitter, platform, batch;
};

std::string word_of(const MllEvent& event) {
  return event.value.is_string() ? event.value.get<std::string>() : "";
}

// "success" in the metadata's status or, in v0.5, in the value.
std::string status_of(const MllEvent& stop) {
  if (const auto status = stop.metadata.find("status");
      status != stop.metadata.end() && status->is_string())
    return status->get<std::string>();
  if (stop.value.is_object() && stop.value.contains("success")) {
    const auto& success = stop.value["success"];
    const bool good = success == true || success == "true" || success == "True";
    return good ? "success" : "no success";
  }
  return "";
}

Run read_run(std::string_view text) {
  const auto log = read_mll(text, {"run_start", "run_stop", "submission_", "global_batch_size"});
  Run run;
  std::optional<double> start, stop;
  std::string status;
  for (const auto& event : log.events) {
    if (event.key == "run_start" && !start) start = event.time_ms;
    if (event.key == "run_stop") {
      stop = event.time_ms;
      status = status_of(event);
    }
    if (event.metadata.contains("benchmark") && run.benchmark.empty())  // v0.5 has it in each line
      run.benchmark = event.metadata["benchmark"].get<std::string>();
    if (event.key == "submission_benchmark") run.benchmark = word_of(event);
    if (event.key == "submission_division") run.division = word_of(event);
    if (event.key == "submission_org") run.submitter = word_of(event);
    if (event.key == "submission_platform") run.platform = word_of(event);
    if (event.key == "global_batch_size" && event.value.is_number()) run.batch = event.value.dump();
  }
  const bool v05 = status.empty() && holds(text, ":::MLPv0.5");  // where success is what is logged
  if (!start)
    run.failure = "no run_start";
  else if (!stop)
    run.failure = "no run_stop: aborted, or cut off";
  else if (status != "success" && !v05)
    run.failure = fmt::format("run_stop says \"{}\"", one_line(status, 60));
  else if (!(*stop > *start))
    run.failure = "run_stop is not after run_start";
  else
    run.minutes = (*stop - *start) / 60e3;
  return run;
}

std::string model_of(const std::string& benchmark) {
  for (const auto& [logged, model] : std::map<std::string, std::string>{
           {"resnet", "resnet50"}, {"mask", "maskrcnn"}, {"mask_rcnn", "maskrcnn"}})
    if (benchmark == logged) return model;
  return name_of(benchmark);
}

// "v0.6" where the source's address or the directory says so: targets differ between rounds.
std::string round_of(std::string_view text) {
  constexpr std::string_view mark = "training_results_v";
  const auto at = text.find(mark);
  if (at == text.npos) return "";
  auto end = at + mark.size();
  while (end < text.size() && (specs::is_digit(text[end]) || text[end] == '.')) ++end;
  std::string round(text.substr(at + mark.size() - 1, end - at - mark.size() + 1));
  while (round.ends_with('.')) round.pop_back();
  return round.size() > 1 ? round : "";
}

void describe(specs::Published& published, const Run& run, const std::string& round) {
  published.workload.pi = "train_" + model_of(run.benchmark);
  published.workload.params["benchmark"] = value_of(run.benchmark);
  if (is_stated(run.division)) published.workload.params["division"] = value_of(run.division);
  if (!round.empty()) published.workload.params["round"] = value_of(round);
  published.metric = "minutes_to_train";
  detail(published, "submitter", run.submitter);
  detail(published, "platform", run.platform);
  detail(published, "global_batch_size", run.batch);
}

void describe(specs::Published& published, const MlperfSystem& system) {
  state_hardware(published, system.hardware());
  published.devices = system.devices;
  for (const auto& [component, version] : system.versions)
    state_version(published, component, version);
  state_version(published, "framework", system.framework);
  state_version(published, "os", system.os);
  detail(published, "submitter", system.submitter);
  detail(published, "host_cpu", system.cpu);
  detail(published, "software", system.software);
  if (system.nodes) detail(published, "nodes", std::to_string(*system.nodes));
  if (is_stated(system.division) && !published.workload.params.contains("division"))
    published.workload.params["division"] = value_of(system.division);
}

// "result_0.txt", and "result_run0.txt", "result_4n8r_8k_0.txt" as some have it.
bool is_result(std::string_view file) {
  return file.starts_with("result_") && file.ends_with(".txt");
}

struct Place {
  std::string prefix, system, benchmark;  // prefix: "Fujitsu/" or ""
};

// PREFIX/results/SYSTEM/BENCHMARK/result_N.txt; a directory between benchmark and file is passed over.
std::optional<Place> place_of(const std::string& file) {
  const auto parts = path_parts(file);
  if (parts.size() < 4 || !is_result(parts.back())) return std::nullopt;
  const auto results = std::ranges::find(parts, "results");
  const auto at = static_cast<std::size_t>(results - parts.begin());
  if (at + 4 > parts.size()) return std::nullopt;
  Place place{"", parts[at + 1], parts[at + 2]};
  for (std::size_t i = 0; i < at; ++i) place.prefix += parts[i] + "/";
  return place;
}

class Importer {
 public:
  Importer(const Tree& tree, const Origin& origin)
      : tree_(tree), collector_(tree.name(), mlperf_training_tool, origin), round_(round_of(origin.source.url)) {
    if (round_.empty()) round_ = round_of(tree.name());
  }

  Imported read() {
    std::map<std::string, std::vector<std::string>> groups;
    for (const auto& file : tree_.files())
      if (place_of(file)) groups[file.substr(0, file.rfind('/'))].push_back(file);
    for (const auto& [directory, files] : groups) read_group(directory, files);
    return collector_.finish("results/SYSTEM/BENCHMARK/result_N.txt with lines :::MLL or :::MLLOG");
  }

 private:
  void read_group(const std::string& directory, const std::vector<std::string>& files) {
    std::vector<double> minutes;
    std::optional<Run> told;
    std::size_t failed = 0;
    for (const auto& file : files) {
      const Run run = run_of(file);
      if (run.minutes) {
        minutes.push_back(*run.minutes);
      } else {
        ++failed;
        collector_.remark(file, "the run failed: " + run.failure);
      }
      if (!told || told->benchmark.empty()) told = run;
    }
    const Place place = *place_of(files.front());
    if (told->benchmark.empty()) told->benchmark = place.benchmark;
    if (minutes.empty() || failed > 1) {
      collector_.remark(directory, fmt::format("no score: {} of {} runs failed, and one may",
                                               failed, files.size()));
      return;
    }
    auto published = collector_.draft();
    describe(published, *told, round_);
    if (const auto system = system_of(place)) describe(published, *system);
    detail(published, "system", place.system);
    score(published, minutes, failed);
    if (minutes.size() + failed < 3)
      collector_.remark(directory, fmt::format("{} runs only: the mean of all that succeeded",
                                               minutes.size() + failed));
    collector_.add(std::move(published), directory);
  }

  static void score(specs::Published& published, std::vector<double> minutes, std::size_t failed) {
    summarise(published, minutes, minutes.size() + failed < 3 ? "mean" : "trimmed_mean");
    if (failed == 0) return;
    detail(published, "failed_runs", std::to_string(failed));
    if (minutes.size() < 2) return;
    std::ranges::sort(minutes);  // the failed one was the slowest: only the fastest is left out
    const double count = static_cast<double>(minutes.size() - 1);
    published.value = std::accumulate(minutes.begin() + 1, minutes.end(), 0.0) / count;
    published.statistic = "trimmed_mean";
  }

  Run run_of(const std::string& file) {
    try {
      return read_run(tree_.read(file));
    } catch (const Error& error) {  // larger than is read, or gone
      Run run;
      run.failure = error.what();
      return run;
    }
  }

  std::optional<MlperfSystem> system_of(const Place& place) {
    for (const auto& file : {place.prefix + "systems/" + place.system + ".json",
                             place.prefix + "results/" + place.system + "/entry.json"}) {
      if (!tree_.has(file)) continue;
      if (const auto system = read_mlperf_system(tree_.read(file))) return system;
      collector_.remark(file, "not understood as a description of a system");
      return std::nullopt;
    }
    collector_.remark(place.prefix + "systems/" + place.system + ".json",
                      "not there: hardware and stack are not stated");
    return std::nullopt;
  }

  const Tree& tree_;
  Collector collector_;
  std::string round_;
};

}  // namespace

bool matches_mlperf_training(std::string_view text) {
  return is_mll_log(text) && (holds(text, "run_start") || holds(text, "submission_benchmark")) &&
         !holds(text, "loadgen");
}

Imported read_mlperf_training(std::string_view text, const std::string& name,
                              const Origin& origin) {
  Collector collector(name, mlperf_training_tool, origin);
  const Run run = read_run(text);
  if (!run.minutes) {
    collector.remark("", "the run failed: " + run.failure);
  } else if (run.benchmark.empty()) {
    collector.remark("", "the log does not say which benchmark ran (submission_benchmark)");
  } else {
    auto published = collector.draft();
    describe(published, run, round_of(origin.source.url));
    summarise(published, {*run.minutes}, "mean");
    collector.add(std::move(published), "");
  }
  return collector.finish("run_start and a successful run_stop in lines :::MLL or :::MLLOG");
}

bool matches_mlperf_training_tree(const Tree& tree) {
  return std::ranges::any_of(tree.files(),
                             [](const auto& file) { return place_of(file).has_value(); });
}

Imported read_mlperf_training_tree(const Tree& tree, const Origin& origin) {
  return Importer(tree, origin).read();
}

}  // namespace stackx::importers
