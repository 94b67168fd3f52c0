// How near a published shape is to the one that was asked for.
//
// Parameters that are numbers are the shape: they are compared by log2, and the distance is the
// Euclidean one over those that were asked for, in octaves (4096 and 8192 are one octave apart).
// All others are of kind: where one is asked for, it must be the same; what is not asked for is
// free, and whoever shows the result names it. Rejected: distance by flop, in which a thin matrix
// equals a square one.
#pragma once

#include <compare>
#include <optional>
#include <string>

#include "specs/project/workload.hpp"

namespace stackx::analysis {

// A number, as m, batch and hidden are; "float16" and "fwd" are none.
std::optional<double> shape_value(const std::string& value);

// Nothing where the other is of another kind, or lacks a number that was asked for. 0: as asked.
std::optional<double> octaves(const specs::Workload& asked, const specs::Workload& other);

// m, n and k of the product that is meant where no size is asked for: bound by arithmetic, and like others' figures, as the thin
// products that a table has at its fastest are not.
inline constexpr const char* usual_product_size = "4096";
// How unlike that one a product is, the likest first: less work is worse than any distance. Nothing of other work.
struct Unusual {
  bool less_work = false;
  double octaves = 0;
  auto operator<=>(const Unusual&) const = default;
};
std::optional<Unusual> unusual(const specs::Workload& workload);

// Whether any number was asked for.
bool asks_for_shape(const specs::Workload& asked);

// "nearest published shape m=5124, n=9124, k=1760: 1.7 octaves away, 1.2x the flop"; "as asked".
std::string nearness_text(const specs::Workload& asked, const specs::Workload& other);

}  // namespace stackx::analysis
