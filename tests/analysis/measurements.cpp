#include "tests/analysis/measurements.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace stackx::test {

double normal(specs::Random& random) {
  const double u = 1 - random.unit(), v = random.unit();
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

specs::Stack stack(const std::string& openblas) {
  return {{{"cpu", "host"}, {"openblas", openblas}}};
}

store::Measurement measurement(const specs::Stack& of, std::uint64_t round, double gflops) {
  store::Measurement m;
  m.campaign = std::string(64, 'c');
  m.round = round;
  m.stack = of;
  m.inspection = fmt::format("{}-{}", of.short_id(), round);
  m.arm = of.short_id();
  m.workload = matmul;
  m.host = m.device = here;
  m.microarchitecture = "sapphire-rapids";
  m.finished = fmt::format("2025-06-01T12:00:{:02}Z", round % 60);
  m.work.flop = 1e12;  // large against the rounding of whole nanoseconds
  const double ns = m.work.flop / gflops;
  for (const double factor : {0.9, 0.95, 1.0, 1.3, 2.0})
    m.samples_ns.push_back(std::llround(ns * factor));
  return m;
}

store::Measurement failure(const specs::Stack& of, std::uint64_t round, specs::Outcome outcome,
                           const std::string& reason) {
  store::Measurement m = measurement(of, round, 1);
  m.samples_ns.clear();
  m.outcome = outcome;
  m.reason = reason;
  return m;
}

std::vector<store::Measurement> campaign(
    std::size_t arms, std::uint64_t rounds,
    const std::function<double(std::size_t, std::uint64_t)>& rate) {
  std::vector<store::Measurement> all;
  for (std::uint64_t round = 0; round < rounds; ++round)
    for (std::size_t arm = 0; arm < arms; ++arm)
      all.push_back(measurement(stack(fmt::format("0.3.{}", arm)), round, rate(arm, round)));
  return all;
}

}  // namespace stackx::test
