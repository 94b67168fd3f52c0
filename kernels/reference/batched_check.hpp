// The check of a batch: independent products one below the other, each checked as product.hpp
// says.
#pragma once

#include "kernels/reference/product.hpp"

namespace stackx::kernels {

// The rows of a, b and c are those of the first product, then those of the second, and so on.
Check check_products(const Operand& a, const Operand& b, const Operand& c, std::size_t batch,
                     Dtype dtype, std::uint64_t seed);

}  // namespace stackx::kernels
