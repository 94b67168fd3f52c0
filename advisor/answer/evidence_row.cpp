#include "advisor/answer/evidence_row.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <regex>

#include "analysis/published/product_sizes.hpp"
#include "analysis/text/words.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

using analysis::PublishedGroup;
using analysis::PublishedRow;

// What a reader compares: the framework or library, CUDA, cuDNN; the rest of a stack is told by --explain.
std::string short_stack(const PublishedRow& row) {
  constexpr std::array<const char*, 13> first{"torch",  "tensorflow", "jax",  "mxnet", "vllm", "sglang", "ngc",
                                              "cublas", "cublaslt",   "cuda", "cudnn", "nccl", "driver"};
  std::vector<std::string> words;
  for (const char* name : first)
    if (const auto found = row.stack.components.find(name); found != row.stack.components.end() && words.size() < 2)
      words.push_back(fmt::format(
          "{} {}", name, row.own ? found->second : specs::patch_release(specs::public_version(found->second))));
  for (const auto& [name, version] : row.stack.components)
    if (words.empty()) words.push_back(name + " " + version);
  for (const auto& [name, version] : row.besides)
    if (words.empty()) words.push_back(name + " " + version);
  return fmt::format("{}", fmt::join(words, ", "));
}

// What tells it from another of its group whose stack is called alike: "bitsandbytes 0.45.0"; "" where there is none.
std::string told_apart(const PublishedGroup& group, const PublishedRow& row) {
  const auto called = short_stack(row);
  for (const auto& other : group.rows) {
    if (&other == &row || short_stack(other) != called) continue;
    for (const auto& [name, version] : row.stack.components)
      if (const auto found = other.stack.components.find(name); found == other.stack.components.end() || found->second != version)
        return fmt::format("{} {}", name, version);
  }
  return "";
}

// A round of MLPerf is of its year, whenever its repository was last changed: 1.0 and 1.1 of 2021, 2.0 and 2.1 of 2022, and so on.
std::string year_of_round(const std::string& title) {
  static const std::regex round(R"(MLPerf (Training|Inference) v(\d)\.(\d)\b.*)");
  std::smatch parts;
  if (!std::regex_match(title, parts, round)) return "";
  const int major = std::stoi(parts[2]), minor = std::stoi(parts[3]);
  if (major > 0) return std::to_string(2020 + major);
  return minor == 5 ? (parts[1] == "Training" ? "2018" : "2019") : minor == 6 ? "2019" : minor == 7 ? "2020" : "";
}

std::string year_of_source(const specs::Source& source) {
  const auto round = year_of_round(source.title);
  return round.empty() ? source.date.substr(0, 4) : round;
}

std::string year_of(const PublishedRow& row) {
  std::string date;
  for (const auto& source : row.sources) date = std::max(date, year_of_source(source));
  return date;
}

// Of a language model as it is served, whose numbers say nothing of another's: "Llama-3.1-8B fp8 ttft".
bool is_of_language_model(const PublishedGroup& group) {
  return group.params.contains("model") && group.params.contains("phase") && !group.params.contains("dtype");
}

// dtype or precision, and the pass where there is one; products in another type than the inputs are another kind. How a
// program was run ("mode=function") comes last.
std::string kind_of(const PublishedGroup& group) {
  std::vector<std::string> words;
  if (is_of_language_model(group)) {
    const auto& model = group.params.at("model");
    words.push_back(model.substr(model.rfind('/') + 1));
    for (const char* name : {"precision", "phase"})
      if (const auto found = group.params.find(name); found != group.params.end() && found->second != "generation")
        words.push_back(found->second);
    return fmt::format("{}", fmt::join(words, " "));
  }
  for (const char* name : {"dtype", "precision", "phase", "pass", "loop", "direction", "model", "scenario"})
    if (const auto found = group.params.find(name); found != group.params.end() && words.size() < 2)
      words.push_back(found->second);
  const auto dtype = group.params.find("dtype"), products = group.params.find("mul");
  if (dtype != group.params.end() && products != group.params.end() && dtype->second == "float32" &&
      products->second != dtype->second)
    words.front() += " by " + products->second;
  if (const auto mode = group.params.find("mode"); mode != group.params.end()) words.push_back("mode=" + mode->second);
  return fmt::format("{}", fmt::join(words, " "));
}

std::string compared(const PublishedRow& row) {
  if (!row.versus_best) return "";
  if (const auto& over = row.over_shapes; over && over->interval) {
    const bool tie = over->interval->high >= 1 / 1.01;
    return fmt::format("{}x{:.3f} [{:.3f}, {:.3f}], {}", tie ? "not told apart: " : "", over->ratio,
                       over->interval->low, over->interval->high, analysis::counted(over->shapes, "shape"));
  }
  return fmt::format("x{:.2f} of the best", *row.versus_best);
}

// Rates of things say of what: images/s, tokens/s.
std::string unit_of(const PublishedGroup& group, const PublishedRow& row) {
  const auto& metric = row.shown.front().metric;
  const auto per = metric.find("_per_s");
  return group.unit == "items/s" && per != metric.npos ? metric.substr(0, per) + "/s" : group.unit;
}

// "90% of peak", and why where that is more than all of it; "" where it is not known.
std::string share_text(const std::optional<analysis::PeakShare>& peak) {
  if (!peak) return "";
  return fmt::format("{:.0f}% of peak{}", 100 * peak->share,
                     peak->remark.empty() ? "" : fmt::format(" ({})", peak->remark));
}

// What its source says besides; "" if it does not.
std::string detail(const PublishedRow& row, const std::string& name) {
  const auto& details = row.shown.front().details;
  const auto found = details.find(name);
  return found == details.end() ? "" : found->second;
}

// "" where they are as asked.
std::string sizes_of(const PublishedGroup& group) { return group.octaves == 0 ? "" : analysis::product_sizes(group.shape); }

}  // namespace

std::string on_devices(const EvidenceRow& row) { return row.devices > 1 ? fmt::format(" on {} {}", row.devices, row.hardware) : ""; }

Figure readable(double value, const std::string& unit) {
  if (unit == "GFLOP/s" && value >= 1000) return {value / 1000, "TFLOP/s"};
  if (unit == "GB/s" && value >= 10000) return {value / 1000, "TB/s"};
  if (unit == "ms" && value < 0.1) return {value * 1000, "us"};
  return {value, unit};
}

std::string figure_text(double value) {
  if (value >= 100) return fmt::format("{:.0f}", value);
  if (value >= 10) return fmt::format("{:.1f}", value);
  return fmt::format("{:.3g}", value);
}

EvidenceRow evidence_row(const PublishedGroup& group, const PublishedRow& row) {
  const auto figure = readable(row.value, unit_of(group, row));
  EvidenceRow result{.value = figure.value, .unit = figure.unit, .kind = kind_of(group), .stack = short_stack(row),
                     .year = year_of(row), .devices = group.devices.value_or(1), .sizes = sizes_of(group), .share = share_text(row.peak), .remark = "", .hardware = group.hardware,
                     .title = "", .url = "", .processes = 0, .interval = std::nullopt};
  std::vector<std::string> remarks;
  if (row.own) {
    result.processes = row.shown.front().runs.value_or(1);
    const double scale = figure.value / row.value;
    if (row.interval)
      result.interval = {row.interval->low * scale, row.interval->high * scale, row.interval->coverage};
    remarks.push_back(fmt::format("n={}", result.processes));
  }
  if (is_of_language_model(group)) {
    if (auto text = told_apart(group, row); !text.empty()) remarks.push_back(std::move(text));
    for (const char* load : {"batch", "concurrency"})
      if (const auto& params = row.shown.front().workload.params; params.contains(load))
        remarks.push_back(fmt::format("{} {}", load, params.at(load)));
  }
  if (group.devices.value_or(1) > 1) remarks.push_back(fmt::format("{} devices", *group.devices));
  if (!result.share.empty()) remarks.push_back(result.share);
  if (auto text = compared(row); !row.own && !text.empty()) remarks.push_back(std::move(text));
  result.remark = fmt::format("{}", fmt::join(remarks, row.own ? ", " : "; "));
  if (row.own)
    if (const auto text = detail(row, "also_in"); !text.empty()) result.stack += fmt::format(" (also in {})", text);
  if (!row.sources.empty()) result.title = row.sources.front().title, result.url = row.sources.front().url;
  return result;
}

std::vector<EvidenceRow> evidence_rows(const analysis::PublishedRanking& published, std::size_t most) {
  std::vector<EvidenceRow> rows;
  std::vector<std::size_t> taken(published.groups.size(), 0);
  // The three best of the first group, then one of each other kind, then what is left of the first.
  const auto take = [&](std::size_t group, std::size_t count) {
    const auto& all = published.groups[group].rows;
    for (; count > 0 && taken[group] < all.size() && rows.size() < most; ++taken[group]) {
      if (all[taken[group]].own) continue;
      rows.push_back(evidence_row(published.groups[group], all[taken[group]]));
      --count;
    }
  };
  std::size_t best_of_first = 3;
  for (std::size_t i = 0; i < published.groups.size(); ++i) {
    const auto before = rows.size();
    take(i, best_of_first);
    if (rows.size() > before) best_of_first = 1;
  }
  for (const auto& one : published.unnamed) {
    if (rows.size() >= most) break;
    const auto figure = readable(one.value, one.unit);
    const auto share = share_text(one.peak);
    const auto& source = one.published.source;
    rows.push_back({.value = figure.value, .unit = figure.unit, .kind = "", .stack = "stack not stated",
                    .year = year_of_source(source), .devices = one.published.devices.value_or(1), .sizes = "", .share = share, .remark = share, .hardware = one.published.hardware,
                    .title = source.title, .url = source.url, .processes = 0, .interval = std::nullopt});
  }
  return rows;
}

std::vector<EvidenceRow> own_rows(const analysis::PublishedRanking& published) {
  std::vector<EvidenceRow> first, rest;
  for (const auto& group : published.groups) {
    std::vector<EvidenceRow> rows;
    for (const auto& row : group.rows)
      if (row.own) rows.push_back(evidence_row(group, row));
    std::ranges::stable_sort(rows, std::ranges::greater(), &EvidenceRow::processes);
    for (auto& row : rows) (&row == &rows.front() ? first : rest).push_back(std::move(row));
  }
  std::ranges::move(rest, std::back_inserter(first));
  return first;
}

}  // namespace stackx::advisor
