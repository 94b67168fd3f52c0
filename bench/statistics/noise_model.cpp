#include "noise_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace stackx::bench {

const char* to_string(Shape shape) {
  switch (shape) {
    case Shape::normal:
      return "normal";
    case Shape::lognormal:
      return "log-normal";
    case Shape::bimodal:
      return "bimodal";
    case Shape::heavy:
      return "heavy-tailed";
  }
  return "";
}

// Box and Muller, from the repository's own generator: the same everywhere.
double normal(specs::Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
  return radius * std::cos(2 * std::numbers::pi * random.unit());
}

double draw(Shape shape, specs::Random& random) {
  switch (shape) {
    case Shape::normal:
      return normal(random);
    case Shape::lognormal:  // median 0; standard deviation of exp(z) is 2.16
      return (std::exp(normal(random)) - 1) / 2.161;
    case Shape::bimodal:  // two modes four of their widths apart
      return ((random.below(2) ? 2 : -2) + normal(random)) / std::sqrt(5.0);
    case Shape::heavy:  // t(2): no variance
      return normal(random) / std::sqrt(-std::log(1 - random.unit()));
  }
  return 0;
}

Samples simulate(const std::vector<double>& offsets, const std::vector<std::size_t>& rounds,
                 const std::vector<std::size_t>& counts, const Noise& noise,
                 specs::Random& random) {
  Samples result(offsets.size());
  const double of_process = std::sqrt(noise.rho), of_sample = std::sqrt(1 - noise.rho);
  double machine = 0;
  std::vector<std::size_t> order(offsets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t round = 0; round < std::ranges::max(rounds); ++round) {
    random.shuffle(order);
    for (const std::size_t arm : order) {
      if (round >= rounds[arm]) continue;
      machine += noise.drift * noise.cv * normal(random);
      const double process = noise.rho > 0 ? of_process * draw(noise.shape, random) : 0;
      std::vector<double> samples(counts[arm]);
      for (double& sample : samples)
        sample = machine + offsets[arm] +
                 noise.cv * (process + (of_sample > 0 ? of_sample * draw(noise.shape, random) : 0));
      result[arm].push_back(std::move(samples));
    }
  }
  return result;
}

}  // namespace stackx::bench
