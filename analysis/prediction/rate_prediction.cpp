#include "analysis/prediction/rate_prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/prediction/roofline.hpp"

namespace stackx::analysis {
namespace {

constexpr double told_share = 0.95;
constexpr std::size_t most_told = 20;

const char* left_out_text(LeaveOut what) {
  return what == LeaveOut::hardware  ? "left-out GPUs"
         : what == LeaveOut::library ? "left-out library versions"
                                     : "left-out shapes";
}

// Three digits, never as powers of ten.
std::string three_digits(double value) {
  const double digits = std::floor(std::log10(value));
  return fmt::format("{:.{}f}", value, static_cast<int>(std::max(0.0, 2 - digits)));
}

std::string why_not(const specs::Workload& workload, const specs::Accelerator& accelerator) {
  if (!operation_of(workload))
    return fmt::format("{} does not say all of its shape and dtype", workload.text());
  if (!accelerator.bandwidth_gb_s)
    return fmt::format("no source states the memory bandwidth of {}", accelerator.name);
  if (!specs::peak_of(accelerator, workload))
    return fmt::format("no source states the peak rate of {} for the number types of {}",
                       accelerator.name, workload.text());
  return fmt::format("there are no results of {} to predict from", workload.pi);
}

std::vector<Prediction::Basis> basis_of(const RateModel& model,
                                        const std::vector<RateModel::Support>& support) {
  std::vector<Prediction::Basis> result;
  double told = 0;
  for (const RateModel::Support& one : support) {
    if (told >= told_share || result.size() == most_told) break;
    result.push_back({model.observation(one.row), one.share, one.distance});
    told += one.share;
  }
  return result;
}

nlohmann::json errors_json(const Errors& errors) {
  return {{"results", errors.n},
          {"median_factor", factor(errors.median)},
          {"mean_factor", factor(errors.mean)},
          {"p90_factor", factor(errors.p90)}};
}

}  // namespace

std::string rate_text(double gflop_s) {
  return gflop_s >= 1000 ? three_digits(gflop_s / 1000) + " TFLOP/s"
                         : three_digits(gflop_s) + " GFLOP/s";
}

std::string Prediction::text() const {
  const bool tera = rate >= 1000;
  const double unit = tera ? 1000 : 1;
  return fmt::format(
      "{} [{}, {}] 80%, likely off by x{:.2f}; on {} off by x{:.2f} at the median (peak ratio "
      "x{:.2f}, "
      "nearest number x{:.2f}; n={}), intervals held for {:.0f}%; from {} results on {} GPU "
      "models, {} "
      "sources",
      rate_text(rate), three_digits(low / unit), three_digits(high / unit), factor(likely_error),
      left_out_text(novelty), factor(error.median), factor(peak_ratio.median),
      factor(nearest.median), error.n, 100 * coverage, results, models, sources);
}

nlohmann::json to_json(const Prediction& prediction) {
  nlohmann::json basis = nlohmann::json::array();
  for (const auto& [observation, share, distance] : prediction.basis)
    basis.push_back({{"evidence", observation.evidence},
                     {"source", observation.source},
                     {"hardware", observation.accelerator->name},
                     {"workload", observation.workload->text()},
                     {"stack", observation.stack->components},
                     {"rate", observation.rate},
                     {"share", share},
                     {"distance", distance}});
  return {{"rate", prediction.rate},
          {"unit", "GFLOP/s"},
          {"interval80", {prediction.low, prediction.high}},
          {"elapsed_ms", prediction.elapsed_ms},
          {"attainable", prediction.attainable},
          {"likely_factor", factor(prediction.likely_error)},
          {"left_out", to_string(prediction.novelty)},
          {"error", errors_json(prediction.error)},
          {"naive",
           {{"peak_ratio", errors_json(prediction.peak_ratio)},
            {"nearest", errors_json(prediction.nearest)}}},
          {"coverage", prediction.coverage},
          {"distance", prediction.distance},
          {"results", prediction.results},
          {"models", prediction.models},
          {"sources", prediction.sources},
          {"basis", basis}};
}

Predictor::Predictor(std::string pi, const std::vector<Observation>& observations)
    : model_(std::move(pi), observations) {}

const HeldOut& Predictor::held_out(LeaveOut what) {
  const auto found = held_out_.find(what);
  if (found != held_out_.end()) return found->second;
  return held_out_.emplace(what, analysis::held_out(model_, what)).first->second;
}

std::expected<Prediction, std::string> Predictor::predict(const specs::Workload& workload,
                                                          const specs::Accelerator& accelerator,
                                                          const specs::Stack& stack) {
  std::vector<RateModel::Support> support;
  const auto estimate = model_.estimate(workload, accelerator, stack, &support);
  if (!estimate) return std::unexpected(why_not(workload, accelerator));

  Prediction result;
  result.novelty = model_.novelty(workload, accelerator, stack);
  const HeldOut& trials = held_out(result.novelty);
  if (const std::string refusal = trials.refusal(); !refusal.empty())
    return std::unexpected("the model is " + refusal);
  if (estimate->distance > trials.reach)
    return std::unexpected(
        fmt::format("the nearest results are farther off ({:.1f}) than any that predictions were "
                    "tried on ({:.1f})",
                    estimate->distance, trials.reach));

  const Operation operation = *operation_of(workload);
  const Ceiling ceiling{specs::peak_of(accelerator, workload)->rate,
                        *accelerator.bandwidth_gb_s};
  const double half = trials.half_width(estimate->distance);
  result.rate = std::exp(estimate->log_rate);
  result.low = std::exp(estimate->log_rate - half);
  result.high = std::exp(estimate->log_rate + half);
  // Nothing multiplies matrices faster than the peak; a convolution may (Winograd).
  if (workload.pi == "matmul")
    result.high = std::min(result.high, std::max(result.rate, ceiling.peak_gflop_s));
  result.elapsed_ms = operation.flop / (result.rate * 1e6);
  result.attainable = attainable(operation, ceiling);
  result.error = trials.all.model_beside;
  result.peak_ratio = trials.all.peak_ratio;
  result.nearest = trials.all.nearest;
  result.coverage = trials.all.coverage;
  result.likely_error = trials.median_score * (half / trials.score);
  result.distance = estimate->distance;
  result.results = model_.size();
  std::set<const specs::Accelerator*> models;
  std::set<std::string> sources;
  for (std::size_t row = 0; row < model_.size(); ++row) {
    models.insert(model_.observation(row).accelerator);
    if (const std::string& source = model_.observation(row).source; !source.empty())
      sources.insert(source);
  }
  result.models = models.size();
  result.sources = sources.size();
  result.basis = basis_of(model_, support);
  return result;
}

}  // namespace stackx::analysis
