#include "analysis/prediction/observation.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/prediction/roofline.hpp"
#include "analysis/published/configuration.hpp"
#include "analysis/statistics/statistics.hpp"
#include "specs/hardware/spelled_models.hpp"
#include "specs/result/metric.hpp"

namespace stackx::analysis {
namespace {

constexpr const char* unknown_operations = "a workload whose operations are not known";

// Why nothing can be made of it, or "".
std::string unfit(const specs::Accelerator* model, const specs::Workload& workload) {
  if (model == nullptr) return "hardware that is no accelerator of the catalog";
  if (!model->bandwidth_gb_s) return "hardware whose bandwidth no source states";
  if (!specs::peak_of(*model, workload))
    return "hardware whose peak for this dtype no source states";
  return "";
}

// An rnn has no agreed number of operations: its rate is in those of operation_of().
std::optional<double> rate_of(const specs::Published& result, const Operation& operation) {
  const specs::Metric* metric = specs::find_metric(result.metric);
  if (metric == nullptr || !(result.value > 0)) return std::nullopt;
  if (metric->rate_unit == "GFLOP/s") return result.value * metric->to_rate;
  if (metric->name == "elapsed_ms") return operation.flop / (result.value * 1e6);
  return std::nullopt;
}

double rate_of(const store::Measurement& result, const Operation& operation) {
  const std::vector<double> samples(result.samples_ns.begin(), result.samples_ns.end());
  // Of one sample, which may be several runs: the PI says how much work it was.
  const double flop = result.work.flop > 0 ? result.work.flop : operation.flop;
  return flop / median(samples);
}

// What stackx's own PI writes where nothing else is asked for.
std::string result_of(const store::Measurement& measured) {
  const auto result = result_from(measured.workload, measured.stack);
  const auto dtype = measured.workload.params.find("dtype");
  const bool usual = result.empty() && measured.workload.pi == "matmul" && measured.workload.program.empty();
  return usual && dtype != measured.workload.params.end() ? usual_result(dtype->second) : result;
}

}  // namespace

void Observations::add(const std::vector<specs::Published>& results,
                       const specs::Accelerators& accelerators) {
  specs::SpelledModels models(accelerators);
  all.reserve(all.size() + results.size());
  for (const specs::Published& result : results) {
    const auto operation = operation_of(result.workload);
    if (!operation) {
      ++left_out[unknown_operations];
      continue;
    }
    const specs::Accelerator* model = models.of(result.hardware);
    std::string why = unfit(model, result.workload);
    if (why.empty() && result.devices.value_or(1) != 1) why = "several devices together";
    const auto rate = rate_of(result, *operation);
    if (why.empty() && !rate) why = "a metric that is no rate";
    if (!why.empty()) {
      ++left_out[why];
      continue;
    }
    all.push_back({&result.workload, &result.stack, model, *rate, result.id, result.source.url, result_of(result)});
  }
}

void Observations::add(const std::vector<store::Measurement>& results,
                       const specs::Accelerator& model) {
  std::map<std::pair<specs::Stack, specs::Workload>, std::vector<Observation>> cells;
  for (const store::Measurement& result : results) {
    if (result.outcome != specs::Outcome::ok || result.samples_ns.empty()) continue;
    const auto operation = operation_of(result.workload);
    const std::string why = operation ? unfit(&model, result.workload) : unknown_operations;
    if (!why.empty()) {
      ++left_out[why];
      continue;
    }
    cells[{result.stack, result.workload}].push_back({&result.workload, &result.stack, &model,
                                                      rate_of(result, *operation),
                                                      result.inspection, "", result_of(result)});
  }
  for (auto& [key, cell] : cells) {
    const auto middle = cell.begin() + static_cast<std::ptrdiff_t>(cell.size() / 2);
    std::ranges::nth_element(cell, middle, {}, &Observation::rate);
    all.push_back(*middle);
  }
}

}  // namespace stackx::analysis
