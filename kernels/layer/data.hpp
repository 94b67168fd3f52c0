// Inputs and results of a layer's products and attention, and whether the results are right.
//
// Each product has inputs of its own seed rather than the result of the one before: what is then multiplied is known to
// be uniform and of zero mean, which the bound of the check rests on (reference/product.hpp), and a wrong result is told
// of the product that made it, not of all after it. q, k, v, gate and up share their input, as they do in a layer.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "kernels/layer/layer.hpp"

namespace stackx::kernels {

class LayerData {
 public:
  explicit LayerData(const Layer& layer);
  LayerData(const LayerData&) = delete;
  LayerData& operator=(const LayerData&) = delete;

  struct Operands {
    LayerProduct product;
    Matrix& a;
    Matrix& b;
    Matrix& c;
  };
  std::vector<Operands>& products() { return products_; }
  AttentionData& attention() { return attention_; }

  void fill(std::uint64_t seed);  // results poisoned

  struct Checked {
    std::string operation;  // "q", ..., "attention"
    Check check;
  };
  std::vector<Checked> check(std::uint64_t seed, Unit unit) const;
  std::vector<std::span<const std::byte>> results() const;

 private:
  Matrix& input_of(const std::string& product);
  Layer layer_;
  std::deque<Matrix> matrices_;
  Matrix *x_, *mixed_, *inner_, *last_ = nullptr;
  std::vector<Operands> products_;
  AttentionData attention_;
};

// The bytes that the checks take beside the data.
double check_memory(const Layer& layer);

// One check of all: of the worst, and the first that is wrong tells where. `checks` are not empty.
Check together(const std::vector<LayerData::Checked>& checks);

}  // namespace stackx::kernels
