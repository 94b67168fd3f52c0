// Scaled dot product attention: O = softmax(Q K' / sqrt(d)) V for each head, its data and whether a
// result is right. Q, O: heads x queries x d, K, V: heads / group x sequence x d, heads being those of
// the whole batch: head h reads the keys of h / group. Causal: the last query sees all positions, the
// one before it one less, and so on.
//
// Reference in double, entry by entry, of as many rows of every head as 2^30 flop allow (first and
// last among them); what is not compared must lie in [-1, 1], as V does and so every average of it.
// Tolerance: 16u E, u = 2^-24, with p the probabilities and s the scores of the row:
//   E = sqrt(sum p^2 v^2 (1 + e)^2) + |o|,  e = |q| max|k| / sqrt(d)
// since a score errs by 16u |q||k| / sqrt(d) (product.hpp), which is a relative error of its p,
// errors of different p are independent, and what they have in common cancels in the division.
// In bfloat16 scores, probabilities and result are stored: in these units 2^14 (|s| + 1) more in e
// and 2^14 |o| (four times 2^-8 of each).
// In float16 the same with 2^11: four times 2^-11 of each; tf32, whose factors are cut to 11 bits, too.
// What fails: no scale by 1/sqrt(d), K not transposed, softmax over the wrong axis, no mask or one that
// is off by one, another head's keys: each off by 1e-2 and more.
#pragma once

#include "kernels/dtype.hpp"
#include "kernels/reference/matrix.hpp"
#include "kernels/reference/product.hpp"

namespace stackx::kernels {

struct Attention {
  std::size_t heads, sequence, size;
  Element element;
  std::size_t queries = sequence;  // of each head
  std::size_t group = 1;           // heads of queries that share keys and values
  bool causal = false;
  bool tf32 = false;

  std::size_t seen_by(std::size_t query) const { return causal ? sequence - queries + query + 1 : sequence; }
};

struct AttentionData {
  Matrix q, k, v, o;
  explicit AttentionData(const Attention& problem);
  void fill(std::uint64_t seed);
  double need() const { return q.need() + k.need() + v.need() + o.need(); }
};

Check check_attention(const Attention& problem, const AttentionData& data, std::uint64_t seed,
                      double full_check_flop = kFullCheckFlop);
// The bytes that it takes beside the data.
double check_memory(const Attention& problem);

}  // namespace stackx::kernels
