#include "kernels/layer/case.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace stackx::kernels {
LayerCase::LayerCase(const Layer& layer, const Parameters& parameters)
    : layer_(layer), seed_(parameters.whole("seed", 0, ~std::uint64_t{0})) {}

Need LayerCase::need(double arrays, double device) const {
  return {.keys = {"model", "batch", "context", "dtype"}, .arrays = arrays, .check = check_memory(layer_), .device = device};
}

void LayerCase::make_data() {
  data_.emplace(layer_);
  data_->fill(seed_);
}

Check LayerCase::check(Unit unit) {
  checks_ = data_->check(seed_, unit);
  return together(checks_);
}

std::unique_ptr<Sampler> LayerCase::sampler(std::unique_ptr<Sampler> samples,
                                            std::function<std::vector<double>()> stamped) {
  return std::make_unique<LayerSampler>(std::move(samples), std::move(stamped), times_);
}

void LayerCase::describe(nlohmann::json& document) const {
  nlohmann::json& layer = document["layer"] = json_of(layer_);
  put_times(layer, layer_, times_);
  for (const auto& [name, check] : checks_)
    layer["checks"].push_back({{"name", name},
                               {"max_relative_error", check.max_relative_error},
                               {"bound", check.bound},
                               {"pass", check.pass}});
}

}  // namespace stackx::kernels
