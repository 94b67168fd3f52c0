// Is C the product of A and B? Answered in double by our own code, before anything is timed.
//
// What is compared. Up to 2^30 flop: every entry. Above, where a full reference would take longer
// than the measurement: (1) some whole rows and columns, the edges always among them, entry by
// entry; (2) Freivalds: C·x against A·(B·x), row by row, for 20 random vectors x of +-1. If an
// entry of row i is off by more than the tolerance of (2), each x misses it with probability at
// most 1/2 (flipping the sign of that entry's x moves the row's sum by twice the error), so a wrong
// entry goes unseen with at most 2^-20.
//
// Tolerance. An entry may differ from the reference by  bound · |a_i|·|b_j|,  bound = 16u, with u
// the unit roundoff of the accumulation (2^-24 for float32 and bfloat16, 2^-53 for float64, 0 for
// int8, which is exact) and |a_i|, |b_j| the Euclidean norms of row and column: it grows with k, as
// their product does (k/3 for our inputs). Row i of Freivalds may differ by  bound · |a_i|·|B|_F.
//   Why not the textbook k·u·|A||B|: it holds for the worst case, grows as k^2, and at k = 4096
//   would let a
// product in half precision pass for float32. For independent zero-mean inputs, which ours are, the
// bound is a constant times u whatever k is (Higham and Mary, SIAM J. Sci. Comput. 42, 2020).
//   Why 16: summing one by one, the error of an entry is about 0.4u·|a_i||b_j|·T, where T is a
//   normal variable
// times the root of the integral of a squared random walk, so that P(T > t) falls as exp(-1.57 t).
// That predicts 3.2u for the worst of 512^2 entries, and the reference BLAS shows 3.0u; blocked
// sums and FMA err less. 16u is t = 40, or 1e-27 an entry: no right library fails by chance.
// Products too short for this reasoning (k <= 14) are covered by the worst case k·u, as 16 is above
// it. The reference itself sums in blocks of 128 and errs by a fraction of u even for float64.
//   What fails: half precision (rounded inputs or result) is off by 5 to 20 times the bound at k =
//   4096. What it cannot see: above 2^30 flop, a single entry off by less than bound · |a_i|·|B|_F
//   (0.03 at 2048,
// where entries are about 15) outside the compared rows and columns.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/dtype.hpp"
#include "kernels/matrix.hpp"

namespace stackx::kernels {

struct Check {
  std::string reference;  // what was compared with what
  double max_relative_error =
      0;  // largest |c - reference| / scale, scale as above; huge if not finite
  double bound = 0;
  bool pass = false;
  std::string detail;  // the worst place; empty if pass
};

inline constexpr double kSafety = 16;
inline constexpr double kFullCheckFlop = 0x1p30;

// `seed` chooses the vectors, rows and columns.
Check check_product(const Matrix& a, const Matrix& b, const Matrix& c, Dtype dtype,
                    std::uint64_t seed, double full_check_flop = kFullCheckFlop);

}  // namespace stackx::kernels
