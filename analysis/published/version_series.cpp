#include "analysis/published/version_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "specs/result/metric.hpp"
#include "specs/result/order_statistics.hpp"
#include "specs/version/version.hpp"

namespace stackx::analysis {
namespace {

// From the top of a stack to its bottom: what stands behind a component comes with it.
constexpr std::array layers{"vllm",  "sglang",  "tensorrt-llm", "bitsandbytes",  "mxnet",        "tensorflow",
                            "torch", "pytorch", "tensorrt",     "cublas",        "cudnn",        "nccl",
                            "cuda",  "rocm",    "driver",       "nvidia_driver", "linux_kernel", "os"};
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

bool is_round(const specs::Published& result) {
  return result.details.contains("round") && result.details.contains("submitter");
}

std::string stack_text(const specs::Stack& stack, bool with_layers) {
  std::string text;
  for (const auto& [name, version] : stack.components)
    if (with_layers || !is_layer(name)) text += name + '\1' + version + '\1';
  return text;
}

// What is published of one version, and of all.
struct ResultsOfVersion {
  std::vector<double> rates;
  std::string date;
  std::set<std::string> stacks;
};
struct SeriesInMaking {
  VersionSeries series;
  std::map<std::string, ResultsOfVersion> versions;
};

void add_result(std::map<std::string, SeriesInMaking>& all, const specs::Published& result, const std::string& model) {
  if (result.source.tool == "evidence:github-issues") return;
  const bool round = is_round(result);
  const std::string top = round ? mlperf_round : topmost(result);
  if (top.empty()) return;
  const std::string hardware = round && !model.empty() ? model : result.hardware;
  const std::string rest = round ? result.details.at("submitter") : stack_text(result.stack, false);
  const std::string setting = fmt::format("{}\1{}\1{}\1{}\1{}\1{}\1{}", top, result.source.tool, hardware,
                                          result.devices.value_or(0), result.metric, result.statistic, rest);
  auto& [series, versions] = all[setting + "\1" + result.workload.text()];
  series.component = top == "pytorch" ? "torch" : top;
  series.workload = result.workload;
  series.setting = setting;
  series.tool = result.source.tool;
  series.hardware.insert(result.hardware);
  series.sources.insert(result.source.title.empty() ? result.source.url : result.source.title);
  auto& version = versions[round ? result.details.at("round") : result.stack.components.at(top)];
  version.rates.push_back(specs::find_metric(result.metric)->smaller_is_better ? 1 / result.value : result.value);
  version.date = std::max(version.date, result.source.date);
  if (round) version.stacks.insert(stack_text(result.stack, true));
}

using VersionEntry = std::pair<const std::string, ResultsOfVersion>;

// Oldest first; nothing where their order is not known.
std::vector<const VersionEntry*> in_order(const std::map<std::string, ResultsOfVersion>& versions) {
  std::vector<const VersionEntry*> entries;
  std::map<const VersionEntry*, specs::Version> parsed;
  std::set<std::string> dates;
  for (const auto& entry : versions) {
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

}  // namespace

std::vector<VersionSeries> version_series(const std::vector<specs::Published>& results, KindsOfHardware& kinds) {
  std::map<std::string, SeriesInMaking> all;
  for (const auto& result : results) add_result(all, result, kinds.of(result.hardware).model);
  std::vector<VersionSeries> found;
  for (auto& [key, making] : all) {
    const auto entries = in_order(making.versions);
    if (entries.size() < 2) continue;
    for (const auto* entry : entries)
      making.series.versions.push_back({entry->first, specs::median(entry->second.rates), entry->second.stacks});
    found.push_back(std::move(making.series));
  }
  return found;
}

std::string version_in_series(const specs::Published& result, const std::string& component) {
  const auto& components = result.stack.components;
  if (component == mlperf_round) return is_round(result) ? result.details.at("round") : "";
  auto found = components.find(component);
  if (found == components.end() && component == "torch") found = components.find("pytorch");
  return found == components.end() ? "" : found->second;
}

bool share_a_stack(const RateOfVersion& a, const RateOfVersion& b) {
  return std::ranges::any_of(a.stacks, [&](const auto& stack) { return b.stacks.contains(stack); });
}

}  // namespace stackx::analysis
