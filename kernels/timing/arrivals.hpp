// When queries arrive at a server: a Poisson process, so that gaps are exponential and nothing that
// the server does delays an arrival.
//
// The generator, the distribution and the rounding are MLPerf LoadGen's (loadgen/loadgen.cc:
// mt19937, exponential_distribution, nanoseconds cut off; the first query at 0), here from the same
// standard library as in its wheels: the same seed gives the same schedule, query by query, and a
// comparison with LoadGen is one of pairs. A schedule at twice the rate is the same one in half the
// time, which makes trials at several rates comparable, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stackx::kernels {

// Nanoseconds from the start, ascending: at least so many queries, and going on until one arrives
// at `duration_ns` or later. `per_second` > 0.
std::vector<std::int64_t> poisson_arrivals(double per_second, std::uint64_t seed,
                                           std::size_t queries, std::int64_t duration_ns);

}  // namespace stackx::kernels
