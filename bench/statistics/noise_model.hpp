// Simulated measurements: what the rounds of an interleaved campaign look like, with every nuisance
// that the statistics claim to stand.
//
//   log rate of sample j of process (arm, round) =
//     machine(round, position) + offset(arm) + cv (sqrt(rho) process + sqrt(1 - rho) sample)
// process and sample have the shape asked for, scaled to standard deviation 1 where it has one (the
// heavy tail, Student's t with two degrees of freedom, has none) and median 0. rho is the correlation
// of samples within a process. machine is a random walk with a step of drift * cv an inspection; the
// arms of a round run in random order, as stackx's campaigns do.
#pragma once

#include <string>
#include <vector>

#include "specs/random.hpp"

namespace stackx::bench {

enum class Shape { normal, lognormal, bimodal, heavy };
inline constexpr Shape shapes[] = {Shape::normal, Shape::lognormal, Shape::bimodal, Shape::heavy};
const char* to_string(Shape shape);

double normal(specs::Random& random);
double draw(Shape shape, specs::Random& random);  // median 0

struct Noise {
  double cv = 0.02;
  double rho = 0;
  double drift = 0;
  Shape shape = Shape::normal;
};

// Log rates of samples: [arm][round][sample].
using Samples = std::vector<std::vector<std::vector<double>>>;

// `counts`: samples that a process of each arm takes; `rounds` of each arm (an arm with fewer lacks
// the last ones: it was added later, or failed).
Samples simulate(const std::vector<double>& offsets, const std::vector<std::size_t>& rounds,
                 const std::vector<std::size_t>& counts, const Noise& noise, specs::Random& random);

}  // namespace stackx::bench
