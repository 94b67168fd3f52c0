#include "bench/advice/backtest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "advisor/answer/rivals.hpp"
#include "specs/result/evidence.hpp"
#include "specs/result/order_statistics.hpp"
#include "specs/version/version.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::bench {
namespace {

using analysis::VersionSeries;

constexpr std::size_t folds = 10;

using Versions = std::vector<std::string>;
using Found = std::optional<Versions>;

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
  std::size_t hardware, architecture, source, work;  // names as numbers, which compare quickly
  std::size_t fold;
  std::string model;
};

struct Row {
  const specs::Published* result;
  Place place;
};

struct Candidates {
  const VersionSeries* series;
  Place place;
  std::size_t family, setting;
  std::vector<std::pair<std::size_t, double>> logs;  // of the rates, by version's number
};

bool hidden(HoldOut what, const Place& place, const Place& asked) {
  switch (what) {
    case HoldOut::time:
      return false;  // a matter of versions
    case HoldOut::workload:
      return place.hardware == asked.hardware && place.work == asked.work;
    case HoldOut::family:
      return place.hardware == asked.hardware && place.fold == asked.fold;
    case HoldOut::hardware:
      return place.hardware == asked.hardware;
    case HoldOut::source:
      return place.source == asked.source;
  }
  return true;
}

// Which versions there are at the moment of a question.
class Moment {
 public:
  Moment(const VersionSeries& series, std::size_t newest, HoldOut what)
      : series_(series),
        newest_(newest),
        hides_newest_(what == HoldOut::time),
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
      const auto& [model, architecture] = kinds.of(hardware);
      const auto work = work_of(workload);
      const auto& name = model.empty() ? hardware : model;
      return Place{number("hardware " + name),
                   number("architecture " + architecture),
                   number(source_of(tool)),
                   number(work),
                   fold_of(work),
                   name};
    };
    for (const auto& result : evidence.results) {
      const auto at = place(result.hardware, result.source.tool, result.workload);
      rows_[{result.workload.pi, at.hardware}].push_back({&result, at});
    }
    series_ = version_series(evidence.results, kinds);
    for (const auto& one : series_) {
      of_component_[one.component].push_back({&one,
                                              place(*one.hardware.begin(), one.tool, one.workload),
                                              number(one.workload.pi),
                                              number(one.setting),
                                              {}});
      for (const auto& version : one.versions)
        of_component_[one.component].back().logs.emplace_back(number(version.version), std::log(version.rate));
    }
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
    Answered answered{asked.series->component,
                      asked.series->setting + asked.series->workload.pi,
                      fmt::format("{} {} on {}: {}", asked.series->component, versions[newest_at].version,
                                  asked.place.model, asked.series->workload.text()),
                      {},
                      {}};
    for (std::size_t i = 0; i < strategies; ++i) {
      answered.chosen[i] = versions[chosen[i]].version;
      answered.regret[i] = best / versions[chosen[i]].rate - 1;
    }
    return answered;
  }

  std::size_t number(const std::string& name) { return numbers_.try_emplace(name, numbers_.size()).first->second; }

  // ---- the advice
  std::size_t advised(const Candidates& asked, std::size_t newest_at, const Moment& moment) {
    const auto& versions = asked.series->versions;
    constexpr std::size_t most_tried = 3;  // as advise does
    const auto here = faster_than(asked, versions[newest_at].version, moment);
    const auto faster =
        here ? *here : faster_elsewhere(asked, versions[newest_at].version, moment).value_or(Versions{});
    for (std::size_t i = 0; i < std::min(most_tried, faster.size()); ++i)
      for (std::size_t at = 0; at < newest_at; ++at)
        if (specs::public_version(versions[at].version) == specs::public_version(faster[i])) return at;
    return newest_at;
  }

  // Versions that rivals_of finds faster than `version`; nothing where nobody published that.
  Found faster_than(const Candidates& asked, const std::string& version, const Moment& moment) {
    const bool of_family = what_ == HoldOut::family;
    if (what_ == HoldOut::time || what_ == HoldOut::hardware) return std::nullopt;
    const auto& series = *asked.series;
    const auto key = fmt::format("{}\n{}\n{}\n{}\n{}", series.component, version, asked.place.hardware, asked.family,
                                 asked.place.fold);
    if (of_family)
      if (const auto found = answers_.find(key); found != answers_.end()) return found->second;
    const auto workload = of_family ? specs::Workload{series.workload.pi, {}} : series.workload;
    std::vector<specs::Published> left;
    add_left(rows_.at({workload.pi, asked.place.hardware}), asked, advisor::kind_of_work(workload), moment, left);
    auto faster = faster_in(left, workload, series.component, version);
    return of_family ? answers_[key] = std::move(faster) : faster;
  }

  // The same on other models of the architecture.
  Found faster_elsewhere(const Candidates& asked, const std::string& version, const Moment& moment) {
    if (what_ == HoldOut::time) return std::nullopt;
    auto kind = advisor::kind_of_work(asked.series->workload);
    if (what_ == HoldOut::family) kind.params.clear();
    const auto key = fmt::format("{}\n{}\n{}\n{}\n{}", asked.series->component, version, asked.place.hardware,
                                 kind.text(), asked.place.source);
    if (const auto found = elsewhere_.find(key); found != elsewhere_.end()) return found->second;
    std::vector<specs::Published> left;
    for (const auto& [where, rows] : rows_)
      if (where.first == kind.pi && where.second != asked.place.hardware &&
          rows.front().place.architecture == asked.place.architecture)
        add_left(rows, asked, kind, moment, left);
    return elsewhere_[key] = faster_in(left, kind, asked.series->component, version);
  }

  // What is left of the rows, of the kind that is asked for.
  void add_left(const std::vector<Row>& rows, const Candidates& asked, const specs::Workload& kind,
                const Moment& moment, std::vector<specs::Published>& left) const {
    for (const auto& row : rows)
      if (!hidden(what_, row.place, asked.place) && kind.matches(row.result->workload) &&
          moment.shows(analysis::version_in_series(*row.result, asked.series->component)))
        left.push_back(*row.result);
  }

  Found faster_in(const std::vector<specs::Published>& left, const specs::Workload& workload,
                  const std::string& component, const std::string& version) const {
    const bool published = std::ranges::any_of(
        left, [&](const auto& result) { return analysis::version_in_series(result, component) == version; });
    if (!published) return std::nullopt;  // without ranking them
    const auto ranking = analysis::rank_published(left, workload, evidence_.accelerators);
    const auto rivals = advisor::rivals_of(ranking, component, version, "");
    if (!rivals.own) return std::nullopt;
    Versions faster;
    for (const auto& rival : rivals.faster) faster.push_back(rival.row->stack.components.at(component));
    return faster;
  }

  // ---- the best published so far
  // 0: that workload there; 1: others of the series; 2: that workload elsewhere; 3: the family; 4: the component.
  static int distance(const Candidates& one, const Candidates& asked) {
    const bool family = one.family == asked.family;
    const bool here = one.place.hardware == asked.place.hardware, work = one.place.work == asked.place.work;
    if (family && here && work) return 0;
    if (family && here && one.setting == asked.setting) return 1;
    if (family && work) return 2;
    return family ? 3 : 4;
  }

  std::size_t best_of_published(const Candidates& asked, std::size_t newest_at, const Moment& moment) const {
    std::vector<std::optional<std::size_t>> choice(
        numbers_.size());  // which of the versions to choose from a number is
    for (std::size_t i = 0; i <= newest_at; ++i)
      if (moment.shows(asked.series->versions[i].version)) choice[asked.logs[i].first] = i;
    for (int near = 0; near <= 4; ++near) {
      std::vector<std::vector<double>> ahead(newest_at + 1);  // by version: logs
      for (const auto& one : of_component_.at(asked.series->component))
        if (distance(one, asked) == near && !hidden(what_, one.place, asked.place)) add_lead(one, choice, ahead);
      std::optional<std::pair<double, std::size_t>> best;
      for (std::size_t i = 0; i <= newest_at; ++i)
        if (!ahead[i].empty()) best = std::max(best, std::optional(std::pair(specs::median(ahead[i]), i)));
      if (best) return best->second;
    }
    return newest_at;
  }

  // By how much each version is ahead of the series' mean.
  static void add_lead(const Candidates& one, const std::vector<std::optional<std::size_t>>& choice,
                       std::vector<std::vector<double>>& ahead) {
    double sum = 0;
    std::size_t shown = 0;
    for (const auto& [version, log] : one.logs)
      if (choice[version]) sum += log, ++shown;
    for (const auto& [version, log] : one.logs)
      if (const auto& i = choice[version]) ahead[*i].push_back(log - sum / double(shown));
  }

  const Evidence& evidence_;
  HoldOut what_;
  std::map<std::string, std::size_t> numbers_;
  std::map<std::pair<std::string, std::size_t>, std::vector<Row>> rows_;  // by PI and hardware
  std::vector<VersionSeries> series_;
  std::map<std::string, std::vector<Candidates>> of_component_;
  std::map<std::string, Found> answers_, elsewhere_;
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

Evidence load_evidence_of(const std::filesystem::path& data, const std::filesystem::path& folder) {
  Evidence evidence{{}, specs::load_accelerators(data), specs::load_processors(data)};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::ranges::sort(files);
  for (const auto& file : files)
    for (auto& row : specs::load_evidence(file).rows) evidence.results.push_back(std::move(row));
  return evidence;
}

std::vector<Answered> backtest(const Evidence& evidence, HoldOut what) { return Backtest(evidence, what).run(); }

}  // namespace stackx::bench
