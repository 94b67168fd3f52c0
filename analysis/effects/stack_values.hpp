// One value a stack: its log rate, after what all stacks of a round share is taken out.
//
// The machine drifts from round to round (other tenants, clock frequency), and not every stack runs
// in every round. So the value is the stack's part of a median polish over stacks and rounds
// (analysis/statistics/median_polish.hpp): the log rate of an ordinary round. Inspections outside of campaigns are a
// round of their own each, which takes nothing from them. Rejected: means, which one inspection in a
// bad moment moves.
#pragma once

#include <vector>

#include "analysis/ranking/rates.hpp"

namespace stackx::analysis {

struct StackValue {
  specs::Stack stack;
  double log_rate = 0;
  std::size_t inspections = 0;
  double median = 0;  // of the rates as they were measured
};

// In the order of `rates`; stacks without a value are left out.
std::vector<StackValue> stack_values(const Rates& rates);

// Stacks that share no round with the largest group of those that do, not even through others: their values are beside
// the group's as they were measured, with all that differed between the occasions.
std::size_t untied(const Rates& rates);

}  // namespace stackx::analysis
