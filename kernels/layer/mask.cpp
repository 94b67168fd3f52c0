#include "kernels/layer/mask.hpp"

namespace stackx::kernels {
namespace {

template <typename T>
void put(Matrix& mask, const Attention& attention, T masked) {
  auto* values = static_cast<T*>(mask.data());
  for (std::size_t row = 0; row < mask.rows(); ++row)
    for (std::size_t j = 0; j < mask.columns(); ++j)
      values[row * mask.columns() + j] = j < attention.seen_by(row % attention.queries) ? T{} : masked;
}

}  // namespace

Matrix causal_mask(const Attention& attention) {
  Matrix mask(attention.group * attention.queries, attention.sequence, attention.element);
  if (attention.element == Element::float32) put(mask, attention, kMasked);
  if (attention.element == Element::bfloat16) put(mask, attention, to_bfloat16(kMasked));
  if (attention.element == Element::float16) put(mask, attention, to_float16(kMasked));
  return mask;
}

}  // namespace stackx::kernels
