#include "advisor/predicted_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/prediction/roofline.hpp"
#include "analysis/published/configuration.hpp"
#include "analysis/published/near_workload.hpp"

namespace stackx::advisor {
namespace {

constexpr std::size_t most_shapes = 2;

using Params = std::map<std::string, std::string>;

// Where nothing says which shape.
std::vector<Params> usual_shapes(const std::string& pi) {
  if (pi == "matmul") {
    const auto* size = analysis::usual_product_size;
    const Params square{{"m", size}, {"n", size}, {"k", size}};
    Params half = square, single = square;
    half.insert({{"dtype", "float16"}, {"mul", "float16"}, {"acc", "float32"}});
    single.insert({{"dtype", "float32"}});
    return {half, single};
  }
  return {};
}

// As asked, and what was not asked for as it usually is.
specs::Workload completed(const specs::Workload& asked, const Params& usual) {
  specs::Workload result = asked;
  for (const auto& [name, value] : usual) result.params.emplace(name, value);
  return result;
}

bool agrees(const specs::Workload& asked, const Params& usual) {
  return std::ranges::all_of(asked.params, [&](const auto& param) {
    const auto found = usual.find(param.first);
    return found == usual.end() || found->second == param.second ||
           (param.first != "dtype" && param.first != "mul" && param.first != "acc");
  });
}

// "torch writes products of bfloat16 as bfloat16, not as float32"; "" where it writes what is asked for, or nobody says.
std::string writes_otherwise(const specs::Workload& shape, const std::string& asked, const specs::Stack& stack) {
  const auto caller = analysis::caller_from(stack);
  if (asked.empty() || caller.empty()) return "";
  auto as_asked = shape;
  as_asked.params["result"] = asked;
  const auto written = analysis::result_from(shape, stack), wanted = analysis::result_from(as_asked, stack);
  if (written.empty() || written == wanted) return "";
  return fmt::format("{} writes products of {} as {}, not as {}", caller, shape.params.at("dtype"), written, wanted);
}

}  // namespace

std::vector<specs::Workload> shapes_to_predict(const specs::Workload& of,
                                               const analysis::PublishedRanking& published) {
  auto asked = of;
  if (asked.pi == "matmul") asked.params.erase("result");
  std::vector<specs::Workload> result;
  const auto take = [&](const specs::Workload& workload) {
    if (result.size() < most_shapes && analysis::operation_of(workload) &&
        std::ranges::find(result, workload) == result.end())
      result.push_back(workload);
  };
  take(asked);
  if (!result.empty()) return result;
  for (const auto& group : published.groups)
    if (group.octaves.value_or(0) == 0 && asked.matches(group.shape)) take(group.shape);
  if (!result.empty()) return result;
  for (const auto& usual : usual_shapes(asked.pi))
    if (agrees(asked, usual)) take(completed(asked, usual));
  return result;
}

RowPredictor::RowPredictor(const specs::Workload& asked, const analysis::PublishedRanking& published,
                           const std::vector<specs::Published>& here,
                           const std::vector<specs::Published>& elsewhere,
                           const std::vector<store::Measurement>& measured,
                           const specs::Accelerators& accelerators,
                           const specs::Accelerator& accelerator)
    : shapes_(shapes_to_predict(asked, published)), accelerator_(&accelerator) {
  if (const auto result = asked.params.find("result"); asked.pi == "matmul" && result != asked.params.end()) result_ = result->second;
  if (shapes_.empty()) return;
  analysis::Observations observations;
  observations.add(here, accelerators);
  observations.add(elsewhere, accelerators);
  observations.add(measured, accelerator);
  predictor_.emplace(asked.pi, observations.all);
}

PredictedRows RowPredictor::rows(const specs::Stack& stack) {
  PredictedRows rows;
  for (const auto& shape : shapes_) {
    if (auto other = writes_otherwise(shape, result_, stack); !other.empty()) {
      rows.refused.push_back(other);
      rows.written_otherwise = std::move(other);
      continue;
    }
    auto prediction = predictor_->predict(shape, *accelerator_, stack);
    if (!prediction) {
      if (std::ranges::find(rows.refused, prediction.error()) == rows.refused.end())
        rows.refused.push_back(prediction.error());
      continue;
    }
    const auto peak = specs::peak_of(*accelerator_, shape);
    rows.rows.push_back({shape, stack, *prediction,
                         peak ? std::optional(prediction->rate / peak->rate) : std::nullopt});
  }
  return rows;
}

}  // namespace stackx::advisor
