#include "cli/output/accelerators.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "cli/output/print.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {
namespace {

using specs::Accelerator;
using Models = std::vector<const Accelerator*>;

struct Unit {
  const char *key, *head;
};
constexpr std::array units{
    Unit{"float64", "FP64"},         Unit{"float64_tensor", "FP64 tensor"},
    Unit{"float32", "FP32"},         Unit{"tensorfloat32", "TF32"},
    Unit{"float16", "FP16"},         Unit{"float16_tensor", "FP16 tensor"},
    Unit{"float16_tensor_float16_sums", "in FP16"},
    Unit{"bfloat16", "BF16"},        Unit{"float8", "FP8"},
    Unit{"float4", "FP4"},           Unit{"int8", "INT8"}};

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:g}", *value) : "-";
}

std::string dash(const std::string& text) { return text.empty() ? "-" : text; }

std::optional<double> peak(const Accelerator& model, const char* unit) {
  const auto found = model.peaks.find(unit);
  if (found == model.peaks.end()) return std::nullopt;
  return found->second;
}

// The sources of all the models, each once; a model refers to them by number.
std::vector<std::string> all_sources(const Models& models) {
  std::vector<std::string> result;
  for (const auto* model : models)
    for (const auto& source : model->sources)
      if (std::ranges::find(result, source) == result.end()) result.push_back(source);
  return result;
}

std::string marks(const Accelerator& model, const std::vector<std::string>& sources) {
  std::vector<std::size_t> numbers;
  for (const auto& source : model.sources)
    numbers.push_back(
        static_cast<std::size_t>(std::ranges::find(sources, source) - sources.begin()) + 1);
  std::ranges::sort(numbers);
  return fmt::format("[{}]", fmt::join(numbers, ","));
}

// What all the models share, or nothing.
template <typename Get>
std::string common(const Models& models, Get get) {
  const std::string first = get(*models.front());
  const bool shared =
      std::ranges::all_of(models, [&](const auto* model) { return get(*model) == first; });
  return shared ? first : "";
}

void print_title(const std::string& name, const Models& models) {
  std::string text = models.size() == 1 ? models.front()->title
                                        : fmt::format("{} models, the most usual is {}",
                                                      models.size(), models.front()->name);
  const auto vendor = common(models, [](const Accelerator& model) { return model.vendor; });
  const auto kind = common(models, [](const Accelerator& model) { return model.architecture; });
  const auto able =
      common(models, [](const Accelerator& model) { return model.compute_capability; });
  if (!vendor.empty()) text += ", " + vendor + (kind.empty() ? "" : " " + kind);
  if (!able.empty()) text += ", compute capability " + able;
  print_paragraph(name + ": " + text, 2);
}

// What the figure of float16 means.
std::string sums_note(const Models& models) {
  const auto shows = [&](const char* unit) { return std::ranges::any_of(models, [&](const auto* model) { return peak(*model, unit).has_value(); }); };
  if (shows("float16_tensor_float16_sums"))
    return "FP16 tensor: with FP32 sums, as frameworks ask for; in FP16: with FP16 sums, in which GeForce adds twice as fast";
  return shows("float16_tensor") ? "FP16 tensor: with FP32 sums, as frameworks ask for" : "";
}

}  // namespace

nlohmann::json accelerator_json(const Accelerator& model) {
  nlohmann::json json = {{"kind", "accelerator"},
                         {"id", model.name},
                         {"name", model.title},
                         {"vendor", model.vendor},
                         {"architecture", model.architecture},
                         {"peaks_tflop_s", model.peaks},
                         {"sources", model.sources}};
  if (!model.aliases.empty()) json["aliases"] = model.aliases;
  if (!model.compute_capability.empty()) json["compute_capability"] = model.compute_capability;
  if (model.memory_gb) json["memory_gb"] = *model.memory_gb;
  if (model.bandwidth_gb_s) json["bandwidth_gb_s"] = *model.bandwidth_gb_s;
  if (model.tdp_w) json["tdp_w"] = *model.tdp_w;
  if (model.sms) json["sms"] = *model.sms;
  return json;
}

void print_accelerators(const specs::Accelerators& table) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& model : table.all())
    rows.push_back({model.name, model.title, model.architecture,
                    dash(model.compute_capability),
                    number(model.memory_gb), number(model.bandwidth_gb_s),
                    number(peak(model, "float32")), number(peak(model, "float16_tensor"))});
  print_table({{"name"}, {"product"}, {"architecture"}, {"capability", true}, {"GB", true}, {"GB/s", true}, {"FP32", true},
               {"FP16 tensor", true}},
              rows);
  workspace::print("\n");
  print_paragraph("FP32 and FP16 tensor (with FP32 sums): peak TFLOP/s, dense, at boost clock; -: no source states it");
}

void print_models(const std::string& name, const Models& models) {
  const auto sources = all_sources(models);
  std::vector<Unit> shown;
  for (const auto& unit : units)
    if (std::ranges::any_of(
            models, [&](const auto* model) { return peak(*model, unit.key).has_value(); }))
      shown.push_back(unit);
  std::vector<analysis::Column> columns{{"model"}, {"product"}, {"capability", true}, {"GB", true}, {"GB/s", true}, {"W", true}};
  for (const auto& unit : shown) columns.push_back({unit.head, true});
  columns.push_back({"sources", true});
  std::vector<std::vector<std::string>> rows;
  for (const auto* model : models) {
    std::vector<std::string> row{model->name,
                                 model->title,
                                 dash(model->compute_capability),
                                 number(model->memory_gb),
                                 number(model->bandwidth_gb_s),
                                 number(model->tdp_w)};
    for (const auto& unit : shown) row.push_back(number(peak(*model, unit.key)));
    row.push_back(marks(*model, sources));
    rows.push_back(std::move(row));
  }
  print_title(name, models);
  print_table(std::move(columns), rows);
  workspace::print("\n");
  print_paragraph("FP64 to INT8: peak TFLOP/s (INT8: TOP/s), dense, at boost clock; -: no source states it");
  if (const auto note = sums_note(models); !note.empty()) print_paragraph(note);
  for (const auto* model : models)
    if (!model->aliases.empty()) print_paragraph(fmt::format("{} is also called {}", model->name, fmt::join(model->aliases, ", ")), 4);
  for (std::size_t i = 0; i < sources.size(); ++i) print_paragraph(fmt::format("[{}] {}", i + 1, sources[i]), 4);
}

}  // namespace stackx::cli
