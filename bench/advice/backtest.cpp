#include "bench/advice/backtest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "advisor/answer/evidence_row.hpp"
#include "analysis/published/near_workload.hpp"
#include "specs/result/evidence.hpp"
#include "specs/result/order_statistics.hpp"
#include "specs/version/version.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::bench {
namespace {

using analysis::VersionSeries;

constexpr std::size_t folds = 10;

// The batch is a setting of the run, not of the work: hidden are all of them.
std::string work_of(specs::Workload workload) {
  for (const char* name : {"batch", "batch_per_gpu", "global_batch"}) workload.params.erase(name);
  return workload.text();
}

// FNV-1a: the same on every machine.
std::size_t fold_of(const std::string& work) {
  std::uint32_t hash = 2166136261;
  for (const unsigned char c : work) hash = (hash ^ c) * 16777619;
  return hash % folds;
}

// "evidence:timm-benchmarks-single" -> "evidence:timm": files of one project are one source.
std::string source_of(const std::string& tool) { return tool.substr(0, tool.find('-')); }

// Where a result or series stands; what a hold-out looks at.
struct Place {
  std::string hardware, source, work;
  std::size_t fold;
};

struct Row {
  const specs::Published* result;
  Place place;
};

struct Candidates {
  const VersionSeries* series;
  Place place;
};

bool hidden(HoldOut what, const Place& place, const Place& asked) {
  switch (what) {
    case HoldOut::time: return false;  // a matter of versions
    case HoldOut::workload: return place.hardware == asked.hardware && place.work == asked.work;
    case HoldOut::family: return place.hardware == asked.hardware && place.fold == asked.fold;
    case HoldOut::hardware: return place.hardware == asked.hardware;
    case HoldOut::source: return place.source == asked.source;
  }
  return true;
}

// Which versions there are at the moment of a question.
class Moment {
 public:
  Moment(const VersionSeries& series, std::size_t newest, HoldOut what)
      : series_(series), newest_(newest), hides_newest_(what == HoldOut::time),
        parsed_(parse(series.versions[newest].version)) {}

  // Whether results of the version may be looked at; those without one ("") may.
  bool shows(const std::string& version) const {
    if (version.empty()) return true;
    const auto [at, fresh] = known_.try_emplace(version, false);
    if (fresh) at->second = older(version) || (!hides_newest_ && version == series_.versions[newest_].version);
    return at->second;
  }

 private:
  static std::optional<specs::Version> parse(const std::string& version) {
    const auto parsed = specs::Version::parse(version, specs::Versioning::pep440);
    return parsed ? std::optional(*parsed) : std::nullopt;
  }
  bool older(const std::string& version) const {
    for (std::size_t i = 0; i < series_.versions.size(); ++i)
      if (series_.versions[i].version == version) return i < newest_;
    const auto other = parse(version);
    return parsed_ && other && *other < *parsed_;
  }

  const VersionSeries& series_;
  std::size_t newest_;
  bool hides_newest_;
  std::optional<specs::Version> parsed_;
  mutable std::map<std::string, bool> known_;
};

class Backtest {
 public:
  Backtest(const Evidence& evidence, HoldOut what) : evidence_(evidence), what_(what) {
    analysis::KindsOfHardware kinds(evidence.accelerators, evidence.processors);
    const auto place = [&](const std::string& hardware, const std::string& tool, const specs::Workload& workload) {
      const auto& model = kinds.of(hardware).model;
      const auto work = work_of(workload);
      return Place{model.empty() ? hardware : model, source_of(tool), work, fold_of(work)};
    };
    for (const auto& result : evidence.results)
      rows_[result.workload.pi].push_back({&result, place(result.hardware, result.source.tool, result.workload)});
    series_ = version_series(evidence.results, kinds);
    for (const auto& one : series_)
      of_component_[one.component].push_back({&one, place(*one.hardware.begin(), one.tool, one.workload)});
  }

  std::vector<Answered> run() {
    std::vector<Answered> all;
    for (const auto& [component, candidates] : of_component_)
      for (const auto& one : candidates)
        for (std::size_t newest = 1; newest < one.series->versions.size(); ++newest)
          if (!share_a_stack(one.series->versions[newest - 1], one.series->versions[newest]))
            all.push_back(answer(one, newest));
    return all;
  }

 private:
  Answered answer(const Candidates& asked, std::size_t newest_at) {
    const auto& versions = asked.series->versions;
    const Moment moment(*asked.series, newest_at, what_);
    const std::array chosen{advised(asked, newest_at, moment), newest_at, best_of_published(asked, newest_at, moment)};
    double best = 0;
    for (std::size_t i = 0; i <= newest_at; ++i) best = std::max(best, versions[i].rate);
    Answered answered{asked.series->component, asked.series->setting + asked.series->workload.pi,
                      fmt::format("{} {} on {}: {}", asked.series->component, versions[newest_at].version,
                                  asked.place.hardware, asked.series->workload.text()), {}, {}};
    for (std::size_t i = 0; i < strategies; ++i) {
      answered.chosen[i] = versions[chosen[i]].version;
      answered.regret[i] = best / versions[chosen[i]].rate - 1;
    }
    return answered;
  }

  // ---- the advice
  std::size_t advised(const Candidates& asked, std::size_t newest_at, const Moment& moment) {
    const auto& versions = asked.series->versions;
    constexpr std::size_t most_tried = 3;  // as advise does
    const auto faster = faster_than(asked, versions[newest_at].version, moment);
    for (std::size_t i = 0; i < std::min(most_tried, faster.size()); ++i)
      for (std::size_t at = 0; at < newest_at; ++at)
        if (specs::public_version(versions[at].version) == specs::public_version(faster[i])) return at;
    return newest_at;
  }

  // Versions that rivals_of finds faster than `version`.
  std::vector<std::string> faster_than(const Candidates& asked, const std::string& version, const Moment& moment) {
    const bool of_family = what_ == HoldOut::family;
    const std::string key = fmt::format("{}\n{}\n{}\n{}\n{}", asked.series->component, version, asked.place.hardware,
                                        asked.series->workload.pi, asked.place.fold);
    if (of_family)
      if (const auto found = answers_.find(key); found != answers_.end()) return found->second;
    const auto workload = of_family ? specs::Workload{asked.series->workload.pi, {}} : asked.series->workload;
    auto faster = faster_in(left_of(asked, workload, moment), workload, asked.series->component, version);
    return of_family ? answers_[key] = std::move(faster) : faster;
  }

  // What is left of the evidence on the hardware, of the kind that is asked for.
  std::vector<specs::Published> left_of(const Candidates& asked, const specs::Workload& workload, const Moment& moment) const {
    auto kind = workload;
    std::erase_if(kind.params, [](const auto& param) { return analysis::shape_value(param.second).has_value(); });
    std::vector<specs::Published> left;
    for (const auto& row : rows_.at(workload.pi))
      if (row.place.hardware == asked.place.hardware && !hidden(what_, row.place, asked.place) &&
          kind.matches(row.result->workload) &&
          moment.shows(analysis::version_in_series(*row.result, asked.series->component)))
        left.push_back(*row.result);
    return left;
  }

  std::vector<std::string> faster_in(const std::vector<specs::Published>& left, const specs::Workload& workload,
                                     const std::string& component, const std::string& version) const {
    const bool published = std::ranges::any_of(
        left, [&](const auto& result) { return analysis::version_in_series(result, component) == version; });
    if (!published) return {};  // rivals_of needs the candidate's own numbers: no need to rank
    const auto ranking = analysis::rank_published(left, workload, evidence_.accelerators);
    std::vector<std::string> faster;
    for (const auto* row : advisor::rivals_of(ranking, component, version, "").faster)
      faster.push_back(row->stack.components.at(component));
    return faster;
  }

  // ---- the best published so far
  // 0: that workload there; 1: others of the series; 2: that workload elsewhere; 3: the family; 4: the component.
  static int distance(const Candidates& one, const Candidates& asked) {
    const bool family = one.series->workload.pi == asked.series->workload.pi;
    const bool here = one.place.hardware == asked.place.hardware, work = one.place.work == asked.place.work;
    if (family && here && work) return 0;
    if (family && here && one.series->setting == asked.series->setting) return 1;
    if (family && work) return 2;
    return family ? 3 : 4;
  }

  std::size_t best_of_published(const Candidates& asked, std::size_t newest_at, const Moment& moment) const {
    const auto& versions = asked.series->versions;
    std::array<std::vector<std::vector<double>>, 5> ahead;  // by distance, then version: logs
    for (auto& of_distance : ahead) of_distance.resize(newest_at + 1);
    for (const auto& one : of_component_.at(asked.series->component)) {
      if (hidden(what_, one.place, asked.place)) continue;
      add_lead(*one.series, versions, moment, ahead[std::size_t(distance(one, asked))]);
    }
    for (const auto& of_distance : ahead) {
      std::optional<std::pair<double, std::size_t>> best;
      for (std::size_t i = 0; i <= newest_at; ++i)
        if (!of_distance[i].empty()) best = std::max(best, std::optional(std::pair(specs::median(of_distance[i]), i)));
      if (best) return best->second;
    }
    return newest_at;
  }

  // By how much each version is ahead of the series' mean.
  static void add_lead(const VersionSeries& series, const std::vector<analysis::RateOfVersion>& asked, const Moment& moment,
                       std::vector<std::vector<double>>& ahead) {
    std::vector<std::pair<std::size_t, double>> logs;
    double sum = 0;
    for (const auto& one : series.versions)
      for (std::size_t i = 0; i < ahead.size(); ++i)
        if (one.version == asked[i].version && moment.shows(one.version)) {
          logs.emplace_back(i, std::log(one.rate));
          sum += logs.back().second;
        }
    for (const auto& [i, log] : logs) ahead[i].push_back(log - sum / double(logs.size()));
  }

  const Evidence& evidence_;
  HoldOut what_;
  std::map<std::string, std::vector<Row>> rows_;  // by PI
  std::vector<VersionSeries> series_;
  std::map<std::string, std::vector<Candidates>> of_component_;
  std::map<std::string, std::vector<std::string>> answers_;
};

}  // namespace

const char* name_of(HoldOut what) {
  constexpr std::array names{"time", "workload", "family", "hardware", "source"};
  return names[std::size_t(what)];
}

const char* name_of(Strategy strategy) {
  constexpr std::array names{"advice", "newest", "best published"};
  return names[strategy];
}

Evidence load_evidence_of(const std::filesystem::path& data) {
  Evidence evidence{{}, specs::load_accelerators(data), specs::load_processors(data)};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data / "evidence"))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::ranges::sort(files);
  for (const auto& file : files)
    for (auto& row : specs::load_evidence(file).rows) evidence.results.push_back(std::move(row));
  return evidence;
}

std::vector<Answered> backtest(const Evidence& evidence, HoldOut what) { return Backtest(evidence, what).run(); }

}  // namespace stackx::bench
