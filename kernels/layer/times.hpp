// How long each operation of a layer takes, beside the time of all.
//
// Samples are of the whole layer, with no clock inside. After each of them one call more is made with a time stamp
// between operations: so what each finds in the caches is what the layer leaves there, not its own operands of a call
// before, and the samples stay undisturbed.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "kernels/layer/layer.hpp"
#include "kernels/timing/measure.hpp"

namespace stackx::kernels {

struct LayerTimes {
  std::vector<std::string> operations;  // in the order of a call
  std::vector<std::vector<double>> ns;  // of each call that was stamped: of each operation
  std::vector<double> layer_ns;         // of a call, by each sample
};

// `samples` times whole calls; `stamped` makes one call and tells the ns of each operation.
class LayerSampler : public Sampler {
 public:
  LayerSampler(std::unique_ptr<Sampler> samples, std::function<std::vector<double>()> stamped, LayerTimes& times);
  std::int64_t run(std::uint64_t mini_batch) override;
  void measuring() override { samples_->measuring(); }
  void measured() override;

 private:
  std::unique_ptr<Sampler> samples_;
  std::function<std::vector<double>()> stamped_;
  LayerTimes& times_;
  double last_ns_ = 0;
};

// Stamps by the clock around steps that are complete when they return.
std::vector<double> stamped_by(const Clock& clock, const std::vector<std::function<void()>>& steps);

// Into the "layer" of a document: "slowest", "layer_us", "tokens_per_sec" and "operations": [{"name", "us": median, "least_us",
// "most_us", "share" of their sum, "gflop_per_sec", "flop", "bytes"}]. Without times: names, flop and bytes.
void put_times(nlohmann::json& document, const Layer& layer, const LayerTimes& times);

}  // namespace stackx::kernels
