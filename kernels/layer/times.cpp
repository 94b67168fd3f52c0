#include "kernels/layer/times.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kernels/timing/median.hpp"

namespace stackx::kernels {
namespace {

using nlohmann::json;

struct Amount {
  double flop = 0, bytes = 0;
};

Amount amount_of(const Layer& layer, const std::string& operation) {
  for (const LayerProduct& product : layer.products())
    if (operation == product.name) return {product.flop(), layer.bytes(product)};
  const bool half = operation == "scores" || operation == "values";  // of the attention
  return half ? Amount{layer.attention_flop() / 2, layer.attention_bytes() / 2} : Amount{};
}

}  // namespace

LayerSampler::LayerSampler(std::unique_ptr<Sampler> samples, std::function<std::vector<double>()> stamped,
                           LayerTimes& times)
    : samples_(std::move(samples)), stamped_(std::move(stamped)), times_(times) {}

std::int64_t LayerSampler::run(std::uint64_t mini_batch) {
  const std::int64_t elapsed = samples_->run(mini_batch);
  last_ns_ = static_cast<double>(elapsed) / static_cast<double>(mini_batch);
  return elapsed;
}

void LayerSampler::measured() {
  samples_->measured();
  times_.layer_ns.push_back(last_ns_);
  times_.ns.push_back(stamped_());
}

std::vector<double> stamped_by(const Clock& clock, const std::vector<std::function<void()>>& steps) {
  std::vector<double> found;
  std::int64_t before = clock.steady_ns();
  for (const auto& step : steps) {
    step();
    const std::int64_t after = clock.steady_ns();
    found.push_back(static_cast<double>(after - before));
    before = after;
  }
  return found;
}

void put_times(json& document, const Layer& layer, const LayerTimes& times) {
  json operations = json::array();
  std::vector<double> medians;
  double sum = 0;
  for (std::size_t i = 0; i < times.operations.size(); ++i) {
    const Amount amount = amount_of(layer, times.operations[i]);
    operations.push_back({{"name", times.operations[i]}, {"flop", amount.flop}, {"bytes", amount.bytes}});
    if (times.ns.empty()) continue;
    std::vector<double> of_one;
    for (const auto& call : times.ns) of_one.push_back(call[i]);
    const auto [least, most] = std::ranges::minmax(of_one);
    medians.push_back(median(of_one));
    sum += medians.back();
    json& put = operations.back();
    put.update({{"us", medians.back() / 1e3}, {"least_us", least / 1e3}, {"most_us", most / 1e3}});
    if (amount.flop > 0 && medians.back() > 0) put["gflop_per_sec"] = amount.flop / medians.back();
  }
  if (sum > 0) {
    for (std::size_t i = 0; i < medians.size(); ++i) operations[i]["share"] = medians[i] / sum;
    const auto slowest = std::ranges::max_element(medians) - medians.begin();
    document["slowest"] = times.operations[static_cast<std::size_t>(slowest)];
    const double call_ns = median(times.layer_ns);
    document["layer_us"] = call_ns / 1e3;
    document["tokens_per_sec"] = static_cast<double>(layer.tokens()) / call_ns * 1e9;
  }
  document["operations"] = std::move(operations);
}

}  // namespace stackx::kernels
