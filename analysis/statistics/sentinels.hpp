// A/A: one stack under two names. What the campaign calls different here is wrong, so it measures
// its own false-positive rate and its noise floor.
//
// A test is one sentinel of one campaign against its original, by the same sign test that decides
// verdicts. Below least_values pairs it cannot call anything different and counts as no test.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/ranking/rates.hpp"
#include "analysis/statistics/statistics.hpp"

namespace stackx::analysis {

struct SentinelTest {
  std::string campaign, arm;
  specs::Stack stack;
  std::size_t pairs = 0;
  double ratio = 1;                  // median of the paired ratios, second name / first
  std::optional<Interval> interval;  // of the ratio; absent below least_values pairs
  bool different = false;            // the interval excludes the band
};

struct Sentinels {
  std::vector<SentinelTest> tests;  // by campaign and arm
  std::size_t able = 0;             // tests with enough pairs to call anything different
  std::size_t different = 0;
  std::optional<Interval> rate;  // Clopper-Pearson interval of different / able
};

Sentinels sentinels(const Rates& rates, double delta, double confidence);

// "sentinels called different: 2 of 40, 5.0% [0.6%, 16.9%] (one stack under two names; 5% are
// expected at most)", and one line a test if there are few. Empty without sentinels.
std::vector<std::string> lines(const Sentinels& sentinels, double confidence);

}  // namespace stackx::analysis
