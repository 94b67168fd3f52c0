// Verdicts: is one stack faster than another, by more than a band that matters?
//
// Input are paired log ratios, one per round that both ran in (same campaign, same device): rounds
// pass, machines drift, and a pair drifts together. The interval is the sign test's, so nothing is
// assumed about the shape of the noise. The band is [1/(1+delta), 1+delta]. Over a family of m
// comparisons Holm's procedure holds the family-wise error, once for claims of difference, once for
// claims of equivalence; the interval shown is at the level at which the verdict fell, so that
// FASTER/SLOWER is exactly "the interval excludes the band" and EQUIVALENT "lies inside".
// Of what is better when smaller (memory, energy, an error) a ratio below 1 is the better one: `faster` stands for better
// everywhere, and words() says BETTER and WORSE of anything but a rate.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/statistics/statistics.hpp"
#include "specs/result/yardstick.hpp"

namespace stackx::analysis {

enum class Verdict { faster, slower, equivalent, unresolved };
const char* to_string(Verdict verdict);  // "FASTER", ...
const char* words(Verdict verdict, const specs::Yardstick& yardstick);  // of a rate the same, else "BETTER", ...

struct Comparison {
  Verdict verdict = Verdict::unresolved;
  double ratio = 1;  // median of the paired ratios, this stack / the other; 1 without pairs
  std::optional<Interval> interval;  // corrected; absent while it would be unbounded
  std::size_t pairs = 0;
  // For unresolved: an estimate, never below what the corrected interval needs to be bounded at
  // all; absent where the ratio lies so close to the band's edge that no campaign of 10,000 rounds
  // would tell.
  std::optional<std::size_t> further_rounds;
};

// One comparison for each member; a member is the paired log ratios of one stack against the common
// other.
std::vector<Comparison> compare(const std::vector<std::vector<double>>& family, double delta,
                                double confidence, const specs::Yardstick& yardstick = {});

// The fewest rounds in which any of so many comparisons can come to a verdict of difference or equivalence, whatever
// is measured: below it the least p-value of the sign test exceeds the level of Holm's first step, which all others
// wait for.
std::size_t fewest_rounds(std::size_t comparisons, double confidence);

// The fewest rounds that find a difference of `effect` in one of so many comparisons: in 80% of campaigns it is
// called SLOWER by more than `delta` (by anything at all, where the effect is no larger than delta), if the noise of
// rates is log-normal with that coefficient of variation. Exact for it: the binomial's tails (above 100 rounds to the
// percent). Nothing above 20,000.
std::optional<std::size_t> rounds_to_find(double effect, double delta, double cv, std::size_t comparisons,
                                          double confidence);

// Rounds until the interval of a median, shrinking with 1/sqrt(n), leaves what lies so far from it behind; `spread` of one round's log
// ratio. Nothing above 10,000.
std::optional<std::size_t> rounds_by_interval(double spread, double distance, double level);

// What Holm's procedures decided about one member of a family, and the level at which they did.
struct Decision {
  bool outside = false, inside = false;  // different; equivalent
  double level = 0.05;
};
// The member's verdict and interval; for families whose decisions were made from counts alone.
Comparison decided(const std::vector<double>& logs, double delta, const Decision& decision,
                   const specs::Yardstick& yardstick = {});

}  // namespace stackx::analysis
