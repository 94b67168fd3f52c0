#include "kernels/timing/arrivals.hpp"

#include <chrono>
#include <random>

namespace stackx::kernels {

std::vector<std::int64_t> poisson_arrivals(double per_second, std::uint64_t seed,
                                           std::size_t queries, std::int64_t duration_ns) {
  using std::chrono::nanoseconds;
  std::mt19937 generator(static_cast<std::mt19937::result_type>(seed));
  std::exponential_distribution<double> gap(per_second);
  std::vector<std::int64_t> arrivals;
  arrivals.reserve(queries);
  nanoseconds time(0);
  while (arrivals.size() < queries || arrivals.empty() || arrivals.back() < duration_ns) {
    arrivals.push_back(time.count());
    time += std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(gap(generator)));
  }
  return arrivals;
}

}  // namespace stackx::kernels
