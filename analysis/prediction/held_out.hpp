// How far off the rate model is where it has not seen: every result predicted from the others with
// its whole group left out (all of its hardware model, of its library version, of its shape),
// against two naive rules on the same rows, and how often its 80% intervals hold.
//
// An error is |log(predicted / actual)|; exp() of it is the factor by which a prediction is off, up
// or down alike. Half the width of an interval is the 0.8 quantile of error / (0.2 + distance) over
// the held-out rows, times (0.2 + distance) of the one predicted: predictions from farther evidence
// are as much wider as held-out ones were worse (split conformal prediction with a normalised
// score: Papadopoulos et al. 2008; Lei et al. 2018, J. American Statistical Association 113:1094).
//
// The coverage is of intervals that know nothing of the group they are tried on: for each group,
// the quantile is that of the other groups, each predicted without both. (Shapes are too many for
// one of them to matter: there the quantile is that of all held-out rows.)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/prediction/rate_model.hpp"

namespace stackx::analysis {

struct Errors {
  std::size_t n = 0;
  double median = 0, mean = 0, p90 = 0;  // of |log(predicted / actual)|
};
Errors errors_of(std::vector<double> values);
double factor(double log_error);  // exp: "x1.21"

struct HeldOutGroup {
  std::string name;
  Errors model;                              // all rows that can be predicted
  Errors model_beside, peak_ratio, nearest;  // rows where both rules have a number, too
  double coverage = 0;
};

struct HeldOut {
  LeaveOut what = LeaveOut::hardware;
  std::size_t rows = 0;  // results, predicted or not
  HeldOutGroup all;
  std::vector<HeldOutGroup> groups;  // of hardware and libraries only; those with predictions
  double score = 0;                  // the quantile: half an interval's width in (0.2 + distance)
  double median_score = 0;
  double reach = 0;  // the greatest distance of evidence that was tried

  double half_width(double distance) const;
  // Smaller mean and median errors than both rules, on the same rows.
  bool better() const;
  // Why predictions may not be shown ("the model is ..."): not better, or its intervals hold for
  // less than 70 or more than 90%. "": they may.
  std::string refusal() const;
};

HeldOut held_out(const RateModel& model, LeaveOut what);

const char* to_string(LeaveOut what);  // "whole GPUs", "whole library versions", ...

}  // namespace stackx::analysis
