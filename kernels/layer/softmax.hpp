// The softmax of attention scores on the CPU, ours, for libraries that multiply and have none: scale, causal mask, softmax, in
// place, in one pass over each row. What a query may not see becomes 0.
//
// exp is a polynomial (Cephes' expf: within 2 ulps), in lanes that compilers vectorise: the C library's, one number at a time,
// took as long as the products around it.
#pragma once

#include <cstddef>

#include "kernels/reference/attention_check.hpp"

namespace stackx::kernels {

// Scores as (heads * queries) x sequence floats, by so many threads.
void attention_softmax(Matrix& scores, const Attention& attention, std::size_t threads);

}  // namespace stackx::kernels
