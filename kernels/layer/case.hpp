// What the operations on a layer share, whatever library they are of: the problem, its data, checks and times, and the
// "layer" of the document:
//
//   "layer": {"model", "phase", "shape", "tokens", "flop", "flop_causal", "flop_parts", "bytes",
//             "checks": [{"name", "max_relative_error", "bound", "pass"}], "operations" and times: times.hpp}
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/layer/data.hpp"
#include "kernels/layer/times.hpp"
#include "kernels/operation.hpp"

namespace stackx::kernels {

class LayerCase {
 public:
  LayerCase(const Layer& layer, const Parameters& parameters);

  const Layer& layer() const { return layer_; }
  Need need(double arrays, double device = 0) const;
  void make_data();  // inputs filled, results poisoned
  LayerData& data() { return *data_; }  // after make_data()
  void add_operation(std::string name) { times_.operations.push_back(std::move(name)); }

  Check check(Unit unit);
  OperationWork work() const { return {layer_.flop(), layer_.bytes(), 1}; }
  std::unique_ptr<Sampler> sampler(std::unique_ptr<Sampler> samples, std::function<std::vector<double>()> stamped);
  void describe(nlohmann::json& document) const;

 private:
  Layer layer_;
  std::uint64_t seed_;
  std::optional<LayerData> data_;
  std::vector<LayerData::Checked> checks_;
  LayerTimes times_;
};

// The layer by a library of the CPU: oneDNN, or a BLAS (blas.cpp says what such a one leaves to us).
std::unique_ptr<Operation> layer_by_onednn(const Pi& pi, const PiArguments& arguments, const Parameters& parameters,
                                           const Layer& layer);
std::unique_ptr<Operation> layer_by_blas(const PiArguments& arguments, const Parameters& parameters, const Layer& layer);

}  // namespace stackx::kernels
