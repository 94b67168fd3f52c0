// The type of a product's result, C: what `result=` asks for (D of cuBLASLt and hipBLASLt), and who writes it.
//
//   usual   as dtype.hpp has it: float32 of bfloat16, int32 of int8, bfloat16 of fp8, else the type of A and B
//   same    the type of A and B: what frameworks ask for
//   float32, float16, bfloat16, float64, int32
// CPU libraries write the usual type. Libraries for GPUs write float16 and bfloat16 products as the same or as float32, fp8
// as bfloat16, float16 or float32; sums are added in float either way. Rejected: fp8 written as fp8, which needs a scale
// that depends on the result; the type as a part of dtype (bfloat16_float32): two names of one way to multiply.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/blas/library.hpp"
#include "kernels/dtype.hpp"

namespace stackx::kernels {

extern const std::vector<std::string> kResultWords;

Element result_of(Dtype dtype, std::string_view word);  // one of those words

// Why nothing writes C so there, or nothing.
std::optional<Unsupported> unwritten(Dtype dtype, Element result, bool gpu);

}  // namespace stackx::kernels
