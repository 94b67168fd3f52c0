// How the spread of the measured rate shrinks with the repetitions taken: samples in a process, and
// processes (inspections). Recomputed from what was measured, by taking less of it.
//
// By samples: of every inspection a run of k consecutive samples that begins anywhere (a process that
// had stopped after k), then the CV between the stack's inspections; the median over the draws. Not
// k samples picked apart: neighbours are alike, and picking would hide how little they add.
// By inspections: n of the stack's inspections without replacement, then the width of the interval
// of their median, as a share of it; the median over the draws. Intervals begin at least_values
// inspections (6 at 95%).
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/ranking/rates.hpp"

namespace stackx::analysis {

struct SpreadPoint {
  std::size_t repetitions = 0;
  std::size_t stacks = 0;             // that have as many
  double median = 0, q1 = 0, q3 = 0;  // over those stacks
};

struct Spread {
  std::vector<SpreadPoint> by_samples;      // of the CV between inspections
  std::vector<SpreadPoint> by_inspections;  // of the interval's width / median
  std::size_t draws = 0;
  std::uint64_t seed = 0;
};

// Stacks with fewer than three inspections have no say in by_samples, which is of rates only: of anything else an inspection
// says one value.
Spread spread(const Rates& rates, double confidence, std::uint64_t seed);

}  // namespace stackx::analysis
