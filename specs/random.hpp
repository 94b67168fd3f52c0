// Random numbers that are the same on every machine and standard library
// (std::uniform_int_distribution is not).
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace stackx::specs {

// xoshiro256** (Blackman and Vigna), seeded through splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed);
  std::uint64_t next();
  std::uint64_t below(std::uint64_t bound);  // uniform in [0, bound), without bias; bound > 0
  double unit();                             // uniform in [0, 1), 53 bits

  template <typename T>
  void shuffle(std::vector<T>& values) {  // Fisher-Yates
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  std::uint64_t state_[4];
};

// A seed for a named part of a seeded whole: round 3 of campaign 42 has its own stream.
std::uint64_t derive_seed(std::uint64_t seed, std::string_view purpose, std::uint64_t index = 0);

}  // namespace stackx::specs
