// Seeded bootstrap intervals for any statistic: of one sample, of two independent ones, and of
// paired rounds in their hierarchy host -> process -> sample.
//
// The interval is the percentile interval, corrected twice, since the plain one covers 86% of the
// time for the median of seven values:
//   expanded  the tail probability asked for is Phi(-sqrt(n / (n - 1)) t(n - 1)) instead of
//             Phi(-z): what the plain one lacks for small n (Hesterberg 2015, The American
//             Statistician 69:371)
//   mid       quantiles are those of the mid-distribution function, linear between atoms: the
//             bootstrap distribution of a median has few of them (Ma, Genton & Parzen 2011)
// Measured coverage of 95% intervals of the median, n = 6 to 60, normal to Cauchy: 94 to 99%
// (bench/statistics). Draws come from specs::Random: the same on every machine.
//
// Rejected: BCa (its acceleration is undefined for a median), bootstrap-t (needs an error for each
// draw), drawing again at every level of a hierarchy (see below).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/statistics/statistics.hpp"

namespace stackx::analysis {

using Statistic = std::function<double(std::span<const double>)>;

struct Bootstrap {
  double confidence = 0.95;
  std::uint64_t seed = 1;
  std::size_t draws = 2000;
};

// Values must be finite. Below least_values(confidence) of them (6 at 95%) there is no interval: no
// resampling leaves the range of the values, and that covers too seldom. `coverage` of the result is
// the confidence asked for: unlike that of an order-statistic interval it is approximate.
std::optional<Interval> bootstrap_interval(std::span<const double> values,
                                           const Statistic& statistic, const Bootstrap& options);

// Of statistic(a) - statistic(b), both drawn independently. The tail is that of t(n + m - 2); with the
// root before it, differences of medians were covered 99.5% of the time.
std::optional<Interval> bootstrap_difference(std::span<const double> a, std::span<const double> b,
                                             const Statistic& statistic, const Bootstrap& options);

// One round in which both stacks ran on one host: the log rates of each process's samples.
struct PairedProcesses {
  std::string host;  // the name together with the fingerprint, which identical nodes share
  std::vector<double> a, b;
};

// Of the median over rounds of log(median rate of a) - log(median rate of b). Drawn with
// replacement is the coarsest level that has units enough: hosts where there are at least six, else
// rounds within each host, and then the interval speaks of these hosts only. Levels below are taken
// as they are: the value of a process varies with its samples already, and drawing those again
// would count their variance twice (Davison & Hinkley 1997, section 3.8; bench/statistics measures
// both: up to 99.4% with all levels drawn). `every_level` draws them all.
struct Hierarchical {
  Interval interval;
  std::size_t hosts = 0, rounds = 0;
  bool over_hosts = false;  // whether it speaks of hosts like these, or of these
};
std::optional<Hierarchical> bootstrap_hierarchy(const std::vector<PairedProcesses>& rounds,
                                                const Bootstrap& options, bool every_level = false);

}  // namespace stackx::analysis
