// Ratios of rates as people say them.
#pragma once

#include <string>

#include "analysis/statistics/comparison.hpp"

namespace stackx::watch {

// Of a rate over another one: "12% [10, 14] faster than", "52% [50, 53] slower than", "2.1 times [2.0, 2.2] as fast as",
// "as fast as". Equal and open ones say how far they may differ where that is known.
std::string faster_than(const analysis::Comparison& comparison);

// "within 0.8%", the most that an interval allows; "" while unbounded.
std::string at_most(const analysis::Comparison& comparison);

std::string interval_text(const analysis::Comparison& comparison);  // "x1.98 [1.95, 2.01]"

}  // namespace stackx::watch
