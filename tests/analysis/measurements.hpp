// Made-up campaigns for the tests of analysis.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "specs/random.hpp"
#include "store/store.hpp"

namespace stackx::test {

// Standard normal by Box and Muller from the repository's own generator: the same values
// everywhere.
double normal(specs::Random& random);

specs::Stack stack(const std::string& openblas);  // {"cpu": "host", "openblas": ...}

// One inspection of five samples whose median rate is `gflops`.
store::Measurement measurement(const specs::Stack& stack, std::uint64_t round, double gflops);
store::Measurement failure(const specs::Stack& stack, std::uint64_t round, specs::Outcome outcome,
                           const std::string& reason);

// `rate(arm, round)` for each arm "0.3.<arm>" in each round.
std::vector<store::Measurement> campaign(
    std::size_t arms, std::uint64_t rounds,
    const std::function<double(std::size_t, std::uint64_t)>& rate);

inline const specs::Workload matmul{"matmul", {{"m", "512"}, {"n", "512"}, {"k", "512"}}};
inline const std::string here = "fingerprint-here";

}  // namespace stackx::test
