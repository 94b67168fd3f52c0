// The inputs of every rank, and whether what a rank received is right.
//
// Element i of rank r is a function of (seed, r, i) alone, so each rank knows what all others send
// and checks all of its own result without talking to anyone. Floats are uniform in [-1, 1) with as
// many digits as the type has: a sum in less precision shows. Integers are in [-2^15, 2^15): their
// sum is exact up to 2^16 ranks.
//
// What is moved, the largest and the smallest must be right to the last bit; int32 sums too. A
// library may add in any order, and rounds after each of n - 1 additions (it may do better), so a sum
// of floats may be off by (n - 1) u / (1 - (n - 1) u) times the sum of the summands' sizes (Higham,
// Accuracy and Stability, 4.2), u the type's unit roundoff. A missing or doubled summand, a stale
// element or one of another rank is off by about 1/n of that scale.
//
// Ulps are counted of float32, float16 and bfloat16 (reference/ulps.hpp): sums of such inputs have fewer digits than a double, so
// the exact value is known. What is only moved has none, or is wrong.
//
// Results are filled with all-one bits before the call (NaN; -1), so what was not written is wrong.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/collectives/collective.hpp"
#include "kernels/reference/product.hpp"

namespace stackx::kernels::collectives {

// As the element type has it.
double input_of(std::uint64_t seed, std::size_t rank, std::size_t index, Element element);

// What `rank` sends: exchange.sent() elements.
void fill_input(const Exchange& exchange, std::uint64_t seed, std::size_t rank, void* to);
void poison(const Exchange& exchange, void* received);
// What `rank` received: exchange.received() elements.
Check check_result(const Exchange& exchange, std::uint64_t seed, std::size_t rank,
                   const void* received);

}  // namespace stackx::kernels::collectives
