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
//
// On tensor cores sums are cut off rather than rounded, each step of at least four products by up
// to 2^-22 of the partial sum (Fasi et al., PeerJ Comput. Sci. 7:e330, 2021), always towards zero,
// so the error grows with the sum's size: for zero-mean inputs by at most 6·sqrt(k)·u of
// |a_i|·|b_j| (partial sums six standard deviations large at every step), which is added for the
// dtypes that sum in float. fp8 may sum with 14 bits, u = 2^-13, in steps of 32 products that err
// by 2u: 6/32·2·sqrt(k)·u. tf32 also cuts or rounds the operands to 11 bits: at most 2^-10 each.
// These errors have independent signs; cut off, they come to 0.75·2^-10·|a_i||b_j|/sqrt(k) in the
// mean square and 6·2^-10/sqrt(k)·(1 + 3/sqrt(k)) is eight times that (below k = 16 the worst
// case). bfloat16 in its place errs three times more and fails.
// A result in float16 (bfloat16) is rounded, by 2^-11 (2^-8) of the entry; a row of Freivalds by 9
// times the norm of its entries' roundings. "max_relative_error" is what exceeds that rounding.
//   What fails: half precision (rounded inputs or result) is off by 5 to 20 times the bound at k =
//   4096. What it cannot see: above 2^30 flop, a single entry off by less than bound · |a_i|·|B|_F
//   (0.03 at 2048,
// where entries are about 15) outside the compared rows and columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/dtype.hpp"
#include "kernels/reference/matrix.hpp"

namespace stackx::kernels {

struct Check {
  std::string reference;  // what was compared with what
  double max_relative_error =
      0;  // largest |c - reference| / scale, scale as above; huge if not finite
  double bound = 0;
  bool pass = false;
  std::string detail;  // the worst place; empty if pass
  std::optional<double> max_ulps = {};  // of the entries that are compared one by one (ulps.hpp)
};

inline constexpr double kSafety = 16;
inline constexpr double kCut = 6, kCutFp8 = 0.375;
inline constexpr double kTf32 = 6;
inline constexpr double kFullCheckFlop = 0x1p30;
// 127 * 127 * k must stay below 2^31: int32 sums are exact, and the poison value is out of reach.
inline constexpr std::size_t kLargestInt8Depth = 133'000;

struct Tolerance {
  double sum = 0;     // of |a_i||b_j|
  double result = 0;  // of the entry: the rounding of C
  double least = 0;   // the rounding of the smallest entries
  Element stored = Element::float64;  // the type of C, whose ulps are counted
};

enum class Unit { scalar, tensor_cores };  // what multiplies: IEEE arithmetic, or tensor cores

Tolerance tolerance_of(Dtype dtype, std::size_t depth, Unit unit);
// Where the type of C is not the dtype's own.
Tolerance tolerance_of(Dtype dtype, std::size_t depth, Unit unit, Element stored);

// `seed` chooses the vectors, rows and columns.
Check check_product(const Operand& a, const Operand& b, const Operand& c, Dtype dtype,
                    std::uint64_t seed, double full_check_flop = kFullCheckFlop);

Check check_product(const Operand& a, const Operand& b, const Operand& c, const Tolerance& tolerance,
                    std::uint64_t seed, double full_check_flop = kFullCheckFlop);

// The bytes that it takes beside a (rows x depth), b and c.
double check_memory(double rows, double columns, double depth, double full_check_flop = kFullCheckFlop);

}  // namespace stackx::kernels
