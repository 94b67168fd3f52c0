// Collects how far results are from their reference, entry by entry, into a Check.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/reference/product.hpp"
#include "kernels/reference/ulps.hpp"

namespace stackx::kernels {

class Comparison {
 public:
  // `stored`: the type of the results, whose ulps are counted; of float64 none are.
  explicit Comparison(double bound, Element stored = Element::float64) : precision_(precision_of(stored)) {
    check_.bound = bound;
    check_.pass = true;
    if (precision_) check_.max_ulps = 0;
  }

  // May differ by bound * scale. `place` says where, when asked: [] { return "y[3,4]"; }
  template <typename Place>
  void note(double found, double expected, double scale, Place place) {
    const double difference = std::abs(found - expected);
    if (difference == 0) return;
    if (precision_) check_.max_ulps = std::max(*check_.max_ulps, ulps_between(found, expected, *precision_));
    double relative = difference / scale;
    if (!std::isfinite(relative)) relative = std::numeric_limits<double>::max();  // JSON has no NaN
    const bool worst = relative > check_.max_relative_error;
    check_.max_relative_error = std::max(check_.max_relative_error, relative);
    if (difference <= check_.bound * scale) return;
    check_.pass = false;
    if (worst) check_.detail = describe(place(), found, expected);
  }

  // What is not compared must at least lie in [-most, most].
  template <typename Place>
  void note_range(double found, double most, Place place) {
    if (std::abs(found) <= most) return;
    note(found, std::clamp(found, -most, most), 0, place);
    check_.pass = false;
    if (check_.detail.empty()) check_.detail = describe(place(), found, most);
  }

  Check finish(std::string reference) && {
    check_.reference = std::move(reference);
    if (check_.pass) check_.detail.clear();
    return std::move(check_);
  }

 private:
  static std::string describe(const std::string& place, double found, double expected);
  std::optional<Precision> precision_;
  Check check_;
};

// Elements times a power of two and plus an offset, rounded to the element type again; rows differ
// by `offset(row)`. float32 and bfloat16.
template <typename Offset>
void transform(Matrix& matrix, float factor, Offset offset) {
  auto* floats = static_cast<float*>(matrix.data());
  auto* halves = static_cast<std::uint16_t*>(matrix.data());
  for (std::size_t i = 0, at = 0; i < matrix.rows(); ++i) {
    const float add = offset(i);
    for (std::size_t j = 0; j < matrix.columns(); ++j, ++at)
      if (matrix.element() == Element::bfloat16)
        halves[at] = to_bfloat16(from_bfloat16(halves[at]) * factor + add);
      else
        floats[at] = floats[at] * factor + add;
  }
}

// What a result stored in bfloat16 (float16) may be off besides, in units of 16 * 2^-24 of its size: four
// times its unit roundoff 2^-8 (2^-11). Nothing more for float32. (oneDNN 2.6 and 3.2 round a softmax
// twice.)
constexpr double storage_share(Element element) {
  if (element == Element::float16) return 0x1p11;
  return element == Element::bfloat16 ? 0x1p14 : 0;
}

}  // namespace stackx::kernels
