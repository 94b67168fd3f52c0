// The two-level design against its own model, simulated.
#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/statistics/two_level.hpp"
#include "tests/analysis/measurements.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

std::vector<PilotInspection> pilot(std::size_t arms, std::size_t inspections, std::size_t samples,
                                   double between, double within, double phi, double start,
                                   double sample, std::uint64_t seed) {
  specs::Random random(seed);
  std::vector<PilotInspection> result;
  for (std::size_t arm = 0; arm < arms; ++arm)
    for (std::size_t i = 0; i < inspections; ++i) {
      PilotInspection one{std::to_string(arm), {}, 0, 0};
      const double process = static_cast<double>(arm) + between * normal(random);
      double state = within * normal(random);
      for (std::size_t s = 0; s < samples; ++s) {
        one.log_rates.push_back(process + state);
        state = phi * state + std::sqrt(1 - phi * phi) * within * normal(random);
      }
      one.sampling_seconds = sample * static_cast<double>(samples);
      one.seconds = start + one.sampling_seconds;
      result.push_back(one);
    }
  return result;
}

}  // namespace

TEST_CASE("two levels: finds the variances and costs it was made with") {
  const auto design = two_level(pilot(40, 5, 30, 0.02, 0.06, 0, 0.5, 0.01, 1));
  REQUIRE(design);
  CHECK(design->inspections == 200);
  CHECK(design->arms == 40);
  CHECK(design->between == Approx(0.02).epsilon(0.2));
  CHECK(design->within == Approx(0.06 * std::sqrt(M_PI / 2)).epsilon(0.05));
  CHECK(design->autocorrelation == Approx(0).margin(0.05));
  CHECK(design->start_seconds == Approx(0.5));
  CHECK(design->sample_seconds == Approx(0.01));
  CHECK(design->samples_now == 30);
  // sqrt((0.5 / 0.01) * (0.0752 / 0.02)^2) = 26.6
  REQUIRE(design->samples_best);
  CHECK(*design->samples_best > 20);
  CHECK(*design->samples_best < 36);
}

TEST_CASE("two levels: autocorrelated samples are worth less") {
  const auto independent = two_level(pilot(40, 5, 100, 0.01, 0.05, 0, 1, 0.01, 2));
  const auto correlated = two_level(pilot(40, 5, 100, 0.01, 0.05, 0.6, 1, 0.01, 2));
  REQUIRE(correlated);
  CHECK(correlated->autocorrelation == Approx(0.6).margin(0.06));
  CHECK(correlated->within > 1.7 * independent->within);
}

TEST_CASE("two levels: the number of inspections gives the width asked for") {
  TwoLevel design;
  design.between = 0.02;
  design.within = 0.04;
  const std::size_t n = inspections_for(design, 16, 0.02);
  specs::Random random(3);
  double squares = 0;
  constexpr int trials = 2000;
  for (int trial = 0; trial < trials; ++trial) {  // spread of the median of n such values
    std::vector<double> values;
    for (std::size_t i = 0; i < n; ++i)
      values.push_back(std::sqrt(0.02 * 0.02 + 0.04 * 0.04 / 16) * normal(random));
    std::ranges::sort(values);
    const double middle = (values[(n - 1) / 2] + values[n / 2]) / 2;
    squares += middle * middle;
  }
  CHECK(2 * 1.96 * std::sqrt(squares / trials) == Approx(0.02).epsilon(0.06));
  CHECK(inspections_for(design, 16, 0.9) == 6);
}

TEST_CASE("two levels: says nothing without repetition, and that more samples help where T2 is 0") {
  CHECK(!two_level({}));
  CHECK(!two_level(pilot(10, 1, 30, 0.02, 0.06, 0, 1, 1, 4)));
  CHECK(!two_level(pilot(10, 5, 1, 0.02, 0.06, 0, 1, 1, 5)));
  std::vector<PilotInspection> same;  // medians agree exactly, samples do not
  for (int i = 0; i < 4; ++i) same.push_back({"a", {1, 2, 3}, 2, 1});
  const auto design = two_level(same);
  REQUIRE(design);
  CHECK(!design->samples_best);
  const auto said = lines(*design, 0.5);
  REQUIRE(said.size() == 2);
  CHECK(said[1].find("more samples are as good") != std::string::npos);
}
