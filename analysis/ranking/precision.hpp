// Precision: which arms' rates are not known well enough yet.
//
// An arm is settled once the order-statistic interval of its median rate is at most `width` wide, as a
// share of the median. That looks at the width only, never at a difference or its significance, so
// stopping on it does not favour any answer. But who looks often enough sees a narrow interval by
// luck, and those cover less; so looks are at 8 values and then each at a quarter more (10, 13, 17,
// 22, ...). Simulated 95% intervals then cover 94 to 97% on normal, log-normal and heavy-tailed
// rates (92% with a look at every value), but 88% where rates have two modes farther apart than the
// width asked for: a narrow interval there is one that lies in a mode (bench/statistics). For such
// stacks the strategy `fixed` is the honest one.
#pragma once

#include <vector>

#include "analysis/statistics/median_polish.hpp"

namespace stackx::analysis {

// `log_rates`: [arm][round]. Between two looks an arm that was not settled runs on; an arm
// that gave no rate in two rounds is (more would not help).
std::vector<std::size_t> unsettled(const Table& log_rates, double width, double confidence);

}  // namespace stackx::analysis
