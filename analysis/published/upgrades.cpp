#include "analysis/published/upgrades.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "analysis/questions/parts.hpp"
#include "specs/result/metric.hpp"
#include "specs/result/order_statistics.hpp"
#include "specs/version/version.hpp"

namespace stackx::analysis {
namespace {

constexpr double noticeable = 1.03;  // a ratio beyond it counts as faster, below its inverse as slower
constexpr std::size_t enough_versions = 3;
constexpr const char* mlperf_round = "mlperf-round";

// From the top of a stack to its bottom: what stands behind a component comes with it.
constexpr std::array layers{"vllm",       "sglang", "tensorrt-llm", "bitsandbytes", "mxnet",
                            "tensorflow", "torch",  "pytorch",      "tensorrt",     "cublas",
                            "cudnn",      "nccl",   "cuda",         "rocm",         "driver",
                            "nvidia_driver", "linux_kernel", "os"};
constexpr std::size_t first_no_version = 14;  // drivers and systems are never what is asked about

bool is_layer(const std::string& name) {
  return std::ranges::any_of(layers, [&](const char* layer) { return name == layer; });
}

// The topmost layer that the stack names; products of matrices do not use cuDNN.
std::string topmost(const specs::Published& result) {
  for (std::size_t i = 0; i < first_no_version; ++i)
    if (result.stack.components.contains(layers[i]) &&
        !(result.workload.pi == "matmul" && std::string_view(layers[i]) == "cudnn"))
      return layers[i];
  return "";
}

struct ResultsOfVersion {
  std::vector<double> rates;  // or their like: more is better
  std::string date;
  std::set<std::string> stacks;
};

struct VersionSeries {
  std::string component;
  std::map<std::string, ResultsOfVersion> versions;
  std::set<std::string> hardware, sources;  // of MLPerf one model in its spellings
};

using AllVersionSeries = std::map<std::string, VersionSeries>;

std::string stack_text(const specs::Stack& stack, bool with_layers) {
  std::string text;
  for (const auto& [name, version] : stack.components)
    if (with_layers || !is_layer(name)) text += name + '\1' + version + '\1';
  return text;
}

void add_result(AllVersionSeries& all, const specs::Published& result, const std::string& model) {
  if (result.source.tool == "evidence:github-issues") return;
  const auto round = result.details.find("round"), submitter = result.details.find("submitter");
  const bool mlperf = round != result.details.end() && submitter != result.details.end();
  const std::string top = mlperf ? mlperf_round : topmost(result);
  if (top.empty()) return;
  const std::string hardware = mlperf && !model.empty() ? model : result.hardware;
  const std::string rest = mlperf ? submitter->second : stack_text(result.stack, false);
  auto& series = all[fmt::format("{}\1{}\1{}\1{}\1{}\1{}\1{}\1{}", top, result.source.tool, hardware,
                                 result.devices.value_or(0), result.metric, result.statistic, rest,
                                 result.workload.text())];
  series.component = top == "pytorch" ? "torch" : top;
  series.hardware.insert(result.hardware);
  series.sources.insert(result.source.title.empty() ? result.source.url : result.source.title);
  auto& version = series.versions[mlperf ? round->second : result.stack.components.at(top)];
  const bool less_is_better = specs::find_metric(result.metric)->smaller_is_better;
  version.rates.push_back(less_is_better ? 1 / result.value : result.value);
  version.date = std::max(version.date, result.source.date);
  if (mlperf) version.stacks.insert(stack_text(result.stack, true));
}

using VersionEntry = std::pair<const std::string, ResultsOfVersion>;

// Oldest first; nothing where their order is not known.
std::vector<const VersionEntry*> in_order(const VersionSeries& series) {
  std::vector<const VersionEntry*> entries;
  std::map<const VersionEntry*, specs::Version> parsed;
  std::set<std::string> dates;
  for (const auto& entry : series.versions) {
    entries.push_back(&entry);
    dates.insert(entry.second.date);
    if (const auto version = specs::Version::parse(entry.first, specs::Versioning::pep440))
      parsed.emplace(&entry, *version);
  }
  if (parsed.size() == entries.size()) {
    std::ranges::stable_sort(entries, [&](auto* a, auto* b) { return parsed.at(a) < parsed.at(b); });
    return entries;
  }
  if (dates.size() < entries.size() || dates.contains("")) return {};
  std::ranges::sort(entries, {}, [](const VersionEntry* entry) { return entry->second.date; });
  return entries;
}

bool have_a_stack_in_common(const ResultsOfVersion& a, const ResultsOfVersion& b) {
  return std::ranges::any_of(a.stacks, [&](const auto& stack) { return b.stacks.contains(stack); });
}

struct UpgradeGroup {
  std::vector<double> ratios, losses;
  std::set<std::string> hardware, sources;
};

void add_series(UpgradeGroup& group, const VersionSeries& series) {
  const auto entries = in_order(series);
  if (entries.size() < 2) return;
  std::vector<double> rates;
  for (const auto* entry : entries) rates.push_back(specs::median(entry->second.rates));
  const std::size_t before = group.ratios.size();
  for (std::size_t i = 1; i < entries.size(); ++i)
    if (!have_a_stack_in_common(entries[i - 1]->second, entries[i]->second))
      group.ratios.push_back(rates[i] / rates[i - 1]);
  if (group.ratios.size() == before) return;
  if (entries.size() >= enough_versions)
    group.losses.push_back(*std::ranges::max_element(rates) / rates.back() - 1);
  group.hardware.insert(series.hardware.begin(), series.hardware.end());
  group.sources.insert(series.sources.begin(), series.sources.end());
}

// What a file keeps: digits beyond these say nothing.
double rounded(double value) { return std::round(value * 10'000) / 10'000; }

double share_of(const std::vector<double>& values, auto holds) {
  return rounded(double(std::ranges::count_if(values, holds)) / double(values.size()));
}

specs::Upgrade summed_up(const std::string& component, const std::string& architecture,
                         const UpgradeGroup& group) {
  specs::Upgrade upgrade;
  upgrade.component = component;
  upgrade.architecture = architecture;
  const auto& ratios = group.ratios;
  upgrade.steps = {ratios.size(),
                   rounded(specs::median(ratios)),
                   share_of(ratios, [](double ratio) { return ratio < 1 / noticeable; }),
                   share_of(ratios, [](double ratio) { return ratio > noticeable; }),
                   rounded(specs::quantile(ratios, 0.05)),
                   rounded(specs::quantile(ratios, 0.95))};
  if (const auto& losses = group.losses; !losses.empty())
    upgrade.newest = {losses.size(),
                      share_of(losses, [](double loss) { return 1 + loss <= noticeable; }),
                      rounded(specs::median(losses)), rounded(specs::quantile(losses, 0.95))};
  upgrade.hardware.assign(group.hardware.begin(), group.hardware.end());
  upgrade.sources.assign(group.sources.begin(), group.sources.end());
  return upgrade;
}

// Which hardware a name means, looked up once each.
class KindsOfHardware {
 public:
  KindsOfHardware(const specs::Accelerators& accelerators, const specs::Processors& processors)
      : accelerators_(accelerators), processors_(processors) {}

  struct Kind {
    std::string model, architecture;  // "" and the name itself where the catalogs do not know it
  };
  const Kind& of(const std::string& name) {
    const auto [found, fresh] = kinds_.try_emplace(name, Kind{"", name});
    if (!fresh) return found->second;
    if (const auto* gpu = accelerators_.identify(name))
      found->second = {gpu->name, gpu->architecture};
    else if (const auto* cpu = processors_.identify(name))
      found->second = {cpu->name, cpu->microarchitecture};
    return found->second;
  }

 private:
  const specs::Accelerators& accelerators_;
  const specs::Processors& processors_;
  std::map<std::string, Kind> kinds_;
};

std::string percent(double share) { return fmt::format("{:.0f}%", 100 * share); }

AnswerField percent_field(std::optional<double> share) {
  return share ? AnswerField{percent(*share), *share} : AnswerField{};
}

AnswerField ratio_field(double ratio) { return {fmt::format("×{:.3f}", ratio), ratio}; }

std::string answer_heading(const std::vector<specs::Upgrade>& upgrades, const std::string& component,
                           const std::string& about) {
  const std::string what = component.empty()            ? "newer version"
                           : component == mlperf_round ? "newer round of MLPerf"
                                                        : "newer " + component;
  std::size_t n = 0;
  double slower = 0, faster = 0;
  for (const auto& upgrade : upgrades) {
    n += upgrade.steps.n;
    slower += upgrade.steps.slower * double(upgrade.steps.n);
    faster += upgrade.steps.faster * double(upgrade.steps.n);
  }
  if (n == 0) return fmt::format("Nobody published what a {}{} changes, everything else equal.", what, about);
  return fmt::format("A {}{} was slower by more than 3% in {} of {} cases; faster by more than 3% in {}.",
                     what, about, percent(slower / double(n)), n, percent(faster / double(n)));
}

std::vector<AnswerField> answer_row(const specs::Upgrade& upgrade) {
  const auto& [n, median, slower, faster, p5, p95] = upgrade.steps;
  const auto& newest = upgrade.newest;
  const auto of_newest = [&](auto member) {
    return newest ? std::optional(double((*newest).*member)) : std::nullopt;
  };
  return {field(upgrade.component),
          field(upgrade.architecture),
          field(n),
          ratio_field(median),
          percent_field(slower),
          percent_field(faster),
          {fmt::format("×{:.2f} to ×{:.2f}", p5, p95), nullptr},
          number_field(p5),
          number_field(p95),
          newest ? field(newest->n) : AnswerField{},
          percent_field(of_newest(&specs::NewestAgainstBest::within)),
          percent_field(of_newest(&specs::NewestAgainstBest::median_loss)),
          percent_field(of_newest(&specs::NewestAgainstBest::p95_loss))};
}

std::string sources_line(const std::vector<specs::Upgrade>& upgrades) {
  constexpr std::size_t most = 8;
  std::set<std::string> titles;
  for (const auto& upgrade : upgrades) titles.insert(upgrade.sources.begin(), upgrade.sources.end());
  std::vector<std::string> first(titles.begin(), std::next(titles.begin(), std::min(most, titles.size())));
  return fmt::format("sources: {}{}", fmt::join(first, "; "),
                     titles.size() > most ? fmt::format("; and {} more (--json names all)", titles.size() - most)
                                          : "");
}

}  // namespace

std::vector<specs::Upgrade> upgrades(const std::vector<specs::Published>& results,
                                     const specs::Accelerators& accelerators,
                                     const specs::Processors& processors) {
  KindsOfHardware kinds(accelerators, processors);
  AllVersionSeries all;
  for (const auto& result : results) add_result(all, result, kinds.of(result.hardware).model);
  std::map<std::pair<std::string, std::string>, UpgradeGroup> groups;
  for (const auto& [key, series] : all)
    add_series(groups[{series.component, kinds.of(*series.hardware.begin()).architecture}], series);
  std::vector<specs::Upgrade> upgrades;
  for (const auto& [key, group] : groups)
    if (!group.ratios.empty()) upgrades.push_back(summed_up(key.first, key.second, group));
  return upgrades;
}

UpgradeOdds odds_of_newest(const std::vector<specs::Upgrade>& upgrades, const std::string& component,
                           const std::string& architecture) {
  UpgradeOdds odds;
  std::set<std::string> sources;
  for (const auto& upgrade : upgrades) {
    if (upgrade.component != component || !upgrade.newest) continue;
    if (!architecture.empty() && upgrade.architecture != architecture) continue;
    odds.n += upgrade.newest->n;
    odds.within += upgrade.newest->within * double(upgrade.newest->n);
    sources.insert(upgrade.sources.begin(), upgrade.sources.end());
  }
  if (odds.n > 0) odds.within /= double(odds.n);
  odds.sources.assign(sources.begin(), sources.end());
  return odds;
}

Answer upgrades_answer(const std::vector<specs::Upgrade>& upgrades, const std::string& component,
                       const std::string& about, std::size_t limit) {
  using enum AnswerColumn::For;
  Answer answer;
  answer.question = "upgrades";
  answer.heading = answer_heading(upgrades, component, about);
  answer.caption =
      "n: published results of one version against those of the next, everything else equal but what comes with it "
      "(CUDA, its libraries, the driver). rate: the newer's over the older's, median, and 5th to 95th percentile. "
      "newest: of workloads with three versions or more, how often the newest is within 3% of the best, and by how "
      "much the best beats it.";
  answer.columns = {{"component", "component"},
                    {"architecture", "architecture"},
                    {"n", "n", true},
                    {"median", "rate", true},
                    {"slower", "slower", true},
                    {"faster", "faster", true},
                    {"range", "5% to 95%", true, people},
                    {"p5", "", true, programs},
                    {"p95", "", true, programs},
                    {"workloads", "workloads", true},
                    {"newest_within", "newest", true},
                    {"median_loss", "loss", true},
                    {"p95_loss", "95%", true}};
  answer.total = upgrades.size();
  for (std::size_t i = 0; i < shown_of(upgrades.size(), limit); ++i) answer.rows.push_back(answer_row(upgrades[i]));
  if (upgrades.empty()) return answer;
  answer.notes = {"a ratio holds whatever else changed between two measurements (machine, driver, months), and two "
                  "measurements of one version differ, too: a difference of a few percent in one row is no advice",
                  sources_line(upgrades)};
  return answer;
}

}  // namespace stackx::analysis
