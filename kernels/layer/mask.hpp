// Scores that a query may not see. Added to them before the softmax where a library has a softmax and no mask: far below
// any score (of uniform inputs below the root of the head's size), exact in every element type, and no infinity, of which
// approximations of exp make NaN.
#pragma once

#include "kernels/reference/attention_check.hpp"

namespace stackx::kernels {

inline constexpr float kMasked = -0x1p14f;

// group * queries x sequence: 0 where a query sees the position, else kMasked. The same for all heads.
Matrix causal_mask(const Attention& attention);

}  // namespace stackx::kernels
