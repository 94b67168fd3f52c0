// How others decide whether two benchmarks differ, on the samples of all processes pooled:
//   welch    Welch's t-test, two-sided, 5%
//   pyperf   2.10, pyperf/_utils.py is_significant: Student's t with equal variances, 5%; unequal
//            counts raise an error that its caller takes for "significant"
//   asv      0.6, asv/_stats.py is_different: Mann-Whitney U, two-sided, p < 0.002, where counts
//            allow so small a p; below that, 99% intervals that do not overlap
// Written again here because 10^6 trials are too many for Python; `bench/statistics/run peers`
// compares them with the packages themselves.
#pragma once

#include <span>

namespace stackx::bench {

bool welch_differs(std::span<const double> a, std::span<const double> b);
bool pyperf_differs(std::span<const double> a, std::span<const double> b);
bool asv_differs(std::span<const double> a, std::span<const double> b);

// Reads lines "n m a1 .. an b1 .. bm" from stdin, prints "welch pyperf asv" as 0 or 1 a line.
void answer_rules();

}  // namespace stackx::bench
