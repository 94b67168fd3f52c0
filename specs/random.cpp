#include "specs/random.hpp"

#include <bit>

namespace stackx::specs {
namespace {

std::uint64_t splitmix64(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

Random::Random(std::uint64_t seed) {
  for (auto& word : state_) word = splitmix64(seed);
}

std::uint64_t Random::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Random::below(std::uint64_t bound) {
  // Lemire's multiply-and-reject: unbiased, one division at most.
  __extension__ using Wide = unsigned __int128;
  Wide product = Wide(next()) * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t threshold = -bound % bound;
    while (static_cast<std::uint64_t>(product) < threshold) product = Wide(next()) * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

double Random::unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

std::uint64_t derive_seed(std::uint64_t seed, std::string_view purpose, std::uint64_t index) {
  // FNV-1a over the purpose, mixed with seed and index by splitmix64.
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const unsigned char c : purpose) hash = (hash ^ c) * 0x100000001b3;
  std::uint64_t state = seed ^ hash;
  state =
      splitmix64(state) ^ index;  // the mixed word: neighbouring seeds and indices must not meet
  return splitmix64(state);
}

}  // namespace stackx::specs
