// One value a stack: its log rate, after what all stacks of a round share is taken out.
//
// The machine drifts from round to round (other tenants, clock frequency), and not every stack runs
// in every round. Two-way median polish (Tukey 1977) of log rate = stack + round: the shift of a
// round is the median of what is left of its inspections, the value of a stack the median of its
// own; alternately, until neither moves. Shifts are measured from the median inspection's, so that
// values are log rates of an ordinary round. Inspections outside of campaigns share their round with
// nobody and keep their rate. Rejected: means, which one inspection in a bad moment moves.
#pragma once

#include <vector>

#include "analysis/rates.hpp"

namespace stackx::analysis {

struct StackValue {
  specs::Stack stack;
  double log_rate = 0;
  std::size_t inspections = 0;
  double median = 0;  // of the rates as they were measured
};

// In the order of `rates`; stacks without a value are left out.
std::vector<StackValue> stack_values(const Rates& rates);

}  // namespace stackx::analysis
