// One way of grouping: how far groups are apart, beside how far the values of one are.
//
// The analysis of variance for groups of any size. F's p-value takes values to be about normal with one variance within
// all groups; with heavy tails it finds fewer differences, for they are in that variance.
#pragma once

#include <optional>
#include <vector>

namespace stackx::analysis {

struct OneWay {
  double within = 0;   // variance of values within a group
  double between = 0;  // of groups, what comes from within taken off; negative where they are nearer than that lets expect
  double p = 1;        // of groups as far apart as these, were they equal
};

// Empty groups are left out. Nothing below two groups, or where no group has two different values.
std::optional<OneWay> one_way(const std::vector<std::vector<double>>& groups);

double sum_of_squares(const std::vector<double>& values);  // about their mean; 0 of none

}  // namespace stackx::analysis
