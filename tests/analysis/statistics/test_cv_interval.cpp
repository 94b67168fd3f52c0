#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/statistics/cv_interval.hpp"
#include "tests/analysis/measurements.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

TEST_CASE("cv interval: worked by hand") {
  // 1..8: mean 4.5, s^2 = 6; trimmed by 2 at either end (8 / (2 * 2)): 4.5. Sum of fourth powers
  // 388.5, of squares 42: kurtosis 8 * 388.5 / 1764 = 1.761905; c = 8 / (8 - 1.959964) = 1.324498.
  const std::vector<double> values{1, 2, 3, 4, 5, 6, 7, 8};
  const double cv2 = 6 / 20.25, c = 8 / (8 - 1.959964);
  const double error = std::sqrt((8 * 388.5 / 1764 - 5.0 / 8) / 7 + 4 * cv2 / 8);
  const auto found = cv_interval(values, 0.95);
  REQUIRE(found);
  CHECK(found->low == Approx(std::sqrt(c * cv2) * std::exp(-1.959964 * c * error / 2)));
  CHECK(found->high == Approx(std::sqrt(c * cv2) * std::exp(1.959964 * c * error / 2)));
}

TEST_CASE("cv interval: none where there is nothing to go by") {
  CHECK_FALSE(cv_interval(std::vector<double>{1, 2, 3, 4, 5}, 0.95));
  CHECK_FALSE(cv_interval(std::vector<double>(9, 2.5), 0.95));
  CHECK_FALSE(cv_interval(std::vector<double>{-1, -2, -3, -4, -5, -6}, 0.95));
}

TEST_CASE("cv interval, simulation: it covers as often as the header says") {
  enum Shape { normal_values, uniform, log_normal, heavy };
  for (const Shape shape : {normal_values, uniform, log_normal, heavy})
    for (const unsigned n : {6u, 12u, 24u, 48u}) {
      specs::Random random(n + shape);
      const auto draw = [&] {
        if (shape == normal_values) return 1 + 0.05 * normal(random);
        if (shape == uniform) return 1 + 0.05 * std::sqrt(12.0) * (random.unit() - 0.5);
        if (shape == log_normal) return std::exp(0.2 * normal(random));
        double chi = 0;
        for (int i = 0; i < 5; ++i) chi += std::pow(normal(random), 2);
        return 1 + 0.05 * normal(random) / std::sqrt(chi / 5);
      };
      const double truth = shape == log_normal ? std::sqrt(std::expm1(0.04))
                           : shape == heavy    ? 0.05 * std::sqrt(5.0 / 3)
                                               : 0.05;
      constexpr int trials = 2000;
      int covered = 0;
      for (int trial = 0; trial < trials; ++trial) {
        std::vector<double> values;
        for (unsigned i = 0; i < n; ++i) values.push_back(draw());
        const auto interval = cv_interval(values, 0.95);
        REQUIRE(interval);
        covered += interval->low <= truth && truth <= interval->high;
      }
      const double share = static_cast<double>(covered) / trials;
      INFO("shape " << shape << " n " << n << ": " << share);
      CHECK(share > (shape == heavy ? 0.90 : 0.93));
      CHECK(share < 0.995);
    }
}
