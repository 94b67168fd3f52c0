#include "kernels/layer/case.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace stackx::kernels {
namespace {

constexpr double kMostOfMemory = 0.75;

}  // namespace

LayerCase::LayerCase(const Layer& layer, const Parameters& parameters)
    : layer_(layer), seed_(parameters.whole("seed", 0, ~std::uint64_t{0})) {}

std::optional<Unsupported> LayerCase::make_data() {
  const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (layer_.memory() > kMostOfMemory * memory)
    return fmt::format("inputs, results and scores take {:.1f} GiB of {:.1f}; a smaller batch, context or model fits",
                       layer_.memory() * 0x1p-30, memory * 0x1p-30);
  data_.emplace(layer_);
  data_->fill(seed_);
  return std::nullopt;
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
