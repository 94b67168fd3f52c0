// Errors in units in the last place (ulps) of the type that a result is stored in:
//
//   |found - exact| / ulp(exact),   ulp(x) = 2^(max(e, e_min) - p + 1),   2^e <= |x| < 2^(e+1)
//
// with p digits and the least exponent e_min of normal numbers: the distance of neighbours in the exact value's own binade, that
// of subnormals below and at 0. Goldberg's definition (ACM Computing Surveys 23(1), 1991) as Muller extends it to reals ("On
// the definition of ulp(x)", INRIA RR-5504, 2005). A correctly rounded result errs by half of one at most.
//
// What it says of a sum is the cancellation in it, too: an entry that happens to be near 0 has small ulps, and may err by
// thousands of them where |c - exact| / (|a||b|) is below u. That is why checks decide by their bound and not by ulps.
//
// Types: float32, float16, bfloat16. Not float64, whose exact value a reference in float64 does not have; not integers, which are
// exact or wrong. Rejected: the binade of what was found, by which a result that is far off errs by less.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "kernels/dtype.hpp"

namespace stackx::kernels {

struct Precision {
  int digits, least_exponent;
};

constexpr std::optional<Precision> precision_of(Element element) {
  switch (element) {
    case Element::float32:
      return Precision{24, -126};
    case Element::bfloat16:
      return Precision{8, -126};
    case Element::float16:
      return Precision{11, -14};
    default:
      return std::nullopt;
  }
}

// Of a finite number: its exponent as it stands in the double, which is far from a double's own subnormals.
inline double ulp_of(double exact, const Precision& of) {
  const auto bits = std::bit_cast<std::uint64_t>(exact);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  const int last = std::max(exponent, of.least_exponent) - of.digits + 1;
  return std::bit_cast<double>(static_cast<std::uint64_t>(last + 1023) << 52);
}

// JSON has no infinity: the largest number stands for it.
inline double ulps_between(double found, double exact, const Precision& of) {
  const double ulps = std::abs(found - exact) / ulp_of(exact, of);
  return std::isfinite(ulps) ? ulps : std::numeric_limits<double>::max();
}

}  // namespace stackx::kernels
