// Precision: which arms' rates are not known well enough yet.
//
// An arm is settled once the order-statistic interval of its median rate is at most `width` wide, as
// a share of the median. That looks at the width only, never at a difference or its significance, so
// stopping on it does not favour any answer; bench/statistics measures the coverage that is left.
#pragma once

#include <vector>

#include "analysis/median_polish.hpp"

namespace stackx::analysis {

// `log_rates`: [arm][round]. Arms with fewer values than an interval needs are not settled; an arm
// that gave no rate in two rounds is (more would not help).
std::vector<std::size_t> unsettled(const Table& log_rates, double width, double confidence);

}  // namespace stackx::analysis
