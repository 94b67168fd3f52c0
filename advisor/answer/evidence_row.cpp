#include "advisor/answer/evidence_row.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/text/words.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

using analysis::PublishedGroup;
using analysis::PublishedRow;

// What a reader compares: the framework or library, CUDA, cuDNN; the rest of a stack is told by --explain.
std::string short_stack(const PublishedRow& row) {
  constexpr std::array<const char*, 12> first{"torch", "tensorflow", "jax",  "mxnet", "vllm", "sglang",
                                              "ngc",   "cublas",     "cuda", "cudnn", "nccl", "driver"};
  std::vector<std::string> words;
  for (const char* name : first)
    if (const auto found = row.stack.components.find(name); found != row.stack.components.end() && words.size() < 2)
      words.push_back(fmt::format("{} {}", name, specs::patch_release(specs::public_version(found->second))));
  for (const auto& [name, version] : row.stack.components)
    if (words.empty()) words.push_back(name + " " + version);
  for (const auto& [name, version] : row.besides)
    if (words.empty()) words.push_back(name + " " + version);
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string year_of(const PublishedRow& row) {
  std::string date;
  for (const auto& source : row.sources) date = std::max(date, source.date);
  return date.substr(0, 4);
}

// dtype or precision, and the pass where there is one; products in another type than the inputs are another kind.
std::string kind_of(const PublishedGroup& group) {
  std::vector<std::string> words;
  for (const char* name : {"dtype", "precision", "pass", "model", "scenario"})
    if (const auto found = group.params.find(name); found != group.params.end() && words.size() < 2)
      words.push_back(found->second);
  const auto dtype = group.params.find("dtype"), products = group.params.find("mul");
  if (dtype != group.params.end() && products != group.params.end() && dtype->second == "float32" &&
      products->second != dtype->second)
    words.front() += " by " + products->second;
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

}  // namespace

Figure readable(double value, const std::string& unit) {
  if (unit == "GFLOP/s" && value >= 1000) return {value / 1000, "TFLOP/s"};
  if (unit == "GB/s" && value >= 10000) return {value / 1000, "TB/s"};
  return {value, unit};
}

std::string figure_text(double value) {
  if (value >= 100) return fmt::format("{:.0f}", value);
  if (value >= 10) return fmt::format("{:.1f}", value);
  return fmt::format("{:.3g}", value);
}

EvidenceRow evidence_row(const PublishedGroup& group, const PublishedRow& row) {
  const auto figure = readable(row.value, unit_of(group, row));
  EvidenceRow result{figure.value, figure.unit, kind_of(group), short_stack(row), year_of(row), "", group.hardware,
                     "",           ""};
  std::vector<std::string> remarks;
  if (group.devices.value_or(1) > 1) remarks.push_back(fmt::format("{} devices", *group.devices));
  if (auto text = share_text(row.peak); !text.empty()) remarks.push_back(std::move(text));
  if (auto text = compared(row); !text.empty()) remarks.push_back(std::move(text));
  result.remark = fmt::format("{}", fmt::join(remarks, "; "));
  if (!row.sources.empty()) result.title = row.sources.front().title, result.url = row.sources.front().url;
  return result;
}

std::vector<EvidenceRow> evidence_rows(const analysis::PublishedRanking& published, std::size_t most) {
  std::vector<EvidenceRow> rows;
  std::vector<std::size_t> taken(published.groups.size(), 0);
  // The three best of the first group, then one of each other kind, then what is left of the first.
  const auto take = [&](std::size_t group, std::size_t count) {
    const auto& all = published.groups[group].rows;
    for (; count > 0 && taken[group] < all.size() && rows.size() < most; --count)
      rows.push_back(evidence_row(published.groups[group], all[taken[group]++]));
  };
  for (std::size_t i = 0; i < published.groups.size(); ++i) take(i, i == 0 ? 3 : 1);
  for (const auto& one : published.unnamed) {
    if (rows.size() >= most) break;
    const auto figure = readable(one.value, one.unit);
    rows.push_back({figure.value, figure.unit, "", "stack not stated", one.published.source.date.substr(0, 4),
                    share_text(one.peak), one.published.hardware,
                    one.published.source.title, one.published.source.url});
  }
  return rows;
}

}  // namespace stackx::advisor
