// Drift within a campaign: how the machine moved while it ran, in which rounds, how much.
//
// All arms of a round share the machine's state, so the common shift of a round is what drifted:
// log rate = arm + round + noise, fitted by Tukey's median polish (a few wild inspections do not
// move it). Change points are found by binary segmentation with Pettitt's rank statistic (1979),
// its p-value by seeded permutations: nothing is assumed about the shape of the noise. The trend is
// Mann-Kendall's test, by permutation too. Paired verdicts do not need this correction, pairs drift
// together; it tells the reader what his machine does, and why medians of campaigns differ.
//
// Rejected: CUSUM and PELT on means (one outlier is a change point), correcting the rates shown by
// the shift (a rate is what was measured).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/ranking/rates.hpp"

namespace stackx::analysis {

struct RoundShift {
  std::uint64_t round = 0;
  std::size_t arms = 0;  // that ran in it
  double shift = 0;      // log, against the campaign's median round
};

struct ChangePoint {
  std::uint64_t round = 0;  // the first of the new level
  double ratio = 1;         // new level / old level
  double p = 1;             // by permutation, never below 1 / 1000
};

struct Drift {
  std::string campaign;
  std::vector<RoundShift> rounds;
  std::vector<ChangePoint> changes;
  double spread = 0;  // of the shifts: scaled MAD, of the log
  double noise = 0;   // of what arm and round leave: scaled MAD, of the log
  double trend = 0;   // Kendall's tau of shift and round
  double trend_p = 1;
};

// One for each campaign with at least six rounds and two arms; sentinels count as arms.
std::vector<Drift> drift(const Rates& rates, double confidence, std::uint64_t seed = 1);

// "campaign 4f1c09a2d7e1: from round 12 on x0.93 (p <= 0.001, 30 rounds, 16 arms)". Empty if all is
// calm.
std::vector<std::string> lines(const std::vector<Drift>& drifts, double confidence);

}  // namespace stackx::analysis
