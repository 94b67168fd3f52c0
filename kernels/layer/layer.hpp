// One layer of a decoder as its matrix products and its attention: what is asked for, and how much work it is.
//
//   q k v          tokens x width  times  width x (heads or kv_heads of the head's size)
//   attention      scores, softmax, values: each query with the positions it may see; heads that share keys and
//                  values are rows of one product
//   o              tokens x width  times  width x width
//   gate up        tokens x width  times  width x feed_forward
//   down           tokens x feed_forward  times  feed_forward x width
//   head           asked for by head=1: the last position of each sequence times width x vocabulary
//
// prefill: `batch` prompts of `context` tokens, causal. decode: a token of each of `batch` sequences, which sees `context`
// cached positions and itself. Shapes and words are those of the Python PI `transformer` (stackx_pi/transformer/shape.py), of
// which this is a layer's products without norms, rotation, SwiGLU and sums; tests hold that both count the same flop.
//
// Flop: 2 a multiply-add of products alone. Of a prompt's attention the whole square counts (flop_causal: the half that
// the mask leaves). Bytes: factors and result of each product once each; of the attention Q, K, V and O, not the scores,
// which an attention need not write.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "kernels/dtype.hpp"
#include "kernels/parameters.hpp"
#include "kernels/reference/attention_check.hpp"

namespace stackx::kernels {

struct LayerProduct {  // C (rows x columns) = A (rows x depth) * B
  const char* name;
  std::size_t rows, columns, depth;
  double flop() const { return 2.0 * static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(depth); }
};

enum class LayerPhase { prefill, decode };

struct Layer {
  std::string model;
  LayerPhase phase;
  std::size_t batch, context;
  std::size_t width, heads, kv_heads, feed_forward, vocabulary;
  bool head;
  Dtype dtype;
  Element stored;  // of products' results: the dtype's own (dtype.hpp), unless a library is asked for another

  // Parameters of layer_parameters(). Sets the sizes that a preset gave. Throws UsageError.
  Layer(Parameters& parameters, const std::vector<std::string>& dtypes);

  std::size_t head_size() const { return width / heads; }
  std::size_t queries() const { return phase == LayerPhase::prefill ? context : 1; }  // of a sequence
  std::size_t keys() const { return phase == LayerPhase::prefill ? context : context + 1; }
  std::size_t tokens() const { return batch * queries(); }

  std::vector<LayerProduct> products() const;  // in the order of the layer, without those of the attention
  Attention attention() const;
  double attention_flop(bool causal = false) const;
  double flop(bool causal = false) const;
  double bytes() const;
  double bytes(const LayerProduct& product) const;
  double attention_bytes() const;
  double scores_bytes() const;
  double mask_bytes() const;  // of one group of heads
};

std::vector<Parameter> layer_parameters();
nlohmann::json json_of(const Layer& layer);  // "model", "phase", "shape", "tokens", flop and bytes

}  // namespace stackx::kernels
