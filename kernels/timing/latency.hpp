// Latencies as MLPerf LoadGen reports them, and what so many queries prove about a percentile.
//
// Percentile p of n latencies is sorted[n * p], the product in double and cut to a whole number
// (loadgen/results.cc): no interpolation, and one rank above the usual nearest-rank where n * p is
// whole. Kept, because numbers that are compared with LoadGen's must mean the same.
//
// Early stopping (loadgen/early_stopping.cc): n queries of which t were late show with 99%
// confidence that less than 1 - p of all queries are late, if so few would come by with less than
// 1% where exactly 1 - p are: P(X <= t) < 0.01 for X binomial(n, 1 - p), the Clopper-Pearson bound.
// That takes queries to be independent. Those of a queue are not (one long wait makes the next), so
// under a load near capacity the confidence is less than it says; LoadGen's is, too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace stackx::kernels {

struct Percentile {
  std::string_view name;
  double fraction;
};

inline constexpr std::array<Percentile, 6> kPercentiles{
    {{"50", .50}, {"90", .90}, {"95", .95}, {"97", .97}, {"99", .99}, {"99.9", .999}}};
inline constexpr double kConfidence = .99;

// `sorted` in ascending order, not empty; fraction from 0 to below 1.
std::int64_t percentile_of(const std::vector<std::int64_t>& sorted, double fraction);

// The most late queries among `queries` with which the percentile is still proven; none: not even
// if no query is late.
std::optional<std::size_t> most_late(std::size_t queries, double fraction,
                                     double confidence = kConfidence);

// The fewest queries that prove the percentile while `late` of them are late: 662 for one at the
// 99th percentile, 64 at the 90th.
std::size_t least_queries(std::size_t late, double fraction, double confidence = kConfidence);

// An upper bound of the percentile that holds with that confidence, LoadGen's "early stopping
// percentile estimate": the latency with most_late() - 1 above it. None: too few queries.
std::optional<std::int64_t> proven_percentile(const std::vector<std::int64_t>& sorted,
                                              double fraction, double confidence = kConfidence);

}  // namespace stackx::kernels
