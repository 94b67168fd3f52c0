// Softmax and layer normalisation, row by row: inputs, and whether a result is right.
//
//   softmax     y = exp(x - max) / sum exp(x - max)
//   layer_norm  y = (x - mean) / sqrt(variance + 1e-5) * scale + shift; the variance divides by n
// over the last dimension. Every entry is compared with the formula in double.
//
// Inputs. softmax: 8 times uniform in [-1, 1), plus a number of -100 to 100 for each row: without
// the subtraction of the maximum a float overflows above 88.7. layer_norm: uniform in [-1, 1) plus
// a number of -1 to 1 for each row; scale (1 plus half a uniform number) and shift differ by
// column.
//
// Tolerance: 16u E with u = 2^-24, entry by entry.
//   softmax  E = y (1 + (max - x)/8 + sqrt(n)/16). The argument of exp is rounded, by u (max - x)
//   at most, which exp turns into a relative error; exp itself and the division err by a few u; the
//   sum of n positive numbers walks at random, 0.4 u sqrt(n) (product.hpp) of itself at most.
//   layer_norm  E = (|x - mean| + |mean|) |scale| / sigma + |y| + |shift|: the mean errs by a few u
//   of itself and of the x that it sums, the variance by a few u of itself.
//   A result stored in bfloat16 may be off by 2^14 |y| more in these units: four times 2^-8.
// What fails: a wrong epsilon (1e-5 against a variance of 1/3 is 250 u), the variance over n - 1,
// a wrong axis, a row's statistics used for another.
#pragma once

#include "kernels/dtype.hpp"
#include "kernels/reference/matrix.hpp"
#include "kernels/reference/product.hpp"

namespace stackx::kernels {

inline constexpr float kEpsilon = 1e-5f;

void fill_softmax(Matrix& x, std::uint64_t seed);
Check check_softmax(const Matrix& x, const Matrix& y);

void fill_layer_norm(Matrix& x, Matrix& scale, Matrix& shift, std::uint64_t seed);
Check check_layer_norm(const Matrix& x, const Matrix& scale, const Matrix& shift, const Matrix& y);

}  // namespace stackx::kernels
