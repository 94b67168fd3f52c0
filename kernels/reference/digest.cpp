#include "kernels/reference/digest.hpp"

#include <algorithm>
#include <bit>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace stackx::kernels {
namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRounds{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(const std::byte* bytes) {
  const auto at = [&](int i) { return std::to_integer<std::uint32_t>(bytes[i]); };
  return at(0) << 24 | at(1) << 16 | at(2) << 8 | at(3);
}

using HashState = std::array<std::uint32_t, 8>;

void block_by_words(HashState& state, const std::byte* bytes) {
  std::uint32_t w[64];
  for (int i = 0; i < 16; ++i) w[i] = big_endian(bytes + 4 * i);
  for (int i = 16; i < 64; ++i) {
    const auto low = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
    const auto high = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + low + w[i - 7] + high;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const auto one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + kRounds[i] + w[i];
    const auto two = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
  }
  const HashState after{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += after[i];
}

#if defined(__x86_64__)
// As Intel describes them ("Intel SHA Extensions", 2013): the state is held as ABEF and CDGH, and each step is four rounds.
[[gnu::target("sha,sse4.1")]] void blocks_by_instructions(HashState& state, const std::byte* bytes, std::size_t count) {
  const auto load = [](const void* from) __attribute__((target("sha,sse4.1"))) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); };
  const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  const __m128i cdab = _mm_shuffle_epi32(load(state.data()), 0xb1), efgh = _mm_shuffle_epi32(load(state.data() + 4), 0x1b);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xf0), w[4];
  for (; count > 0; --count, bytes += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    for (std::size_t i = 0; i < 16; ++i) {
      __m128i& now = w[i % 4];
      const __m128i last = w[(i + 3) % 4];
      now = i < 4 ? _mm_shuffle_epi8(load(bytes + 16 * i), order)
                  : _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(now, w[(i + 1) % 4]), _mm_alignr_epi8(last, w[(i + 2) % 4], 4)), last);
      const __m128i words = _mm_add_epi32(now, load(kRounds.data() + 4 * i));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, words);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(words, 0x0e));
    }
    abef = _mm_add_epi32(abef, abef_before), cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data()), _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data() + 4), _mm_alignr_epi8(dchg, feba, 8));
}
#endif

}  // namespace

bool has_sha_instructions() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b >> 29 & 1) != 0;
#else
  return false;
#endif
}

void Digest::blocks(const std::byte* bytes, std::size_t count) {
#if defined(__x86_64__)
  if (by_instructions_) return blocks_by_instructions(state_, bytes, count);
#endif
  for (; count > 0; --count, bytes += 64) block_by_words(state_, bytes);
}

void Digest::add(std::span<const std::byte> bytes) {
  const auto filled = static_cast<std::size_t>(length_ % 64);
  length_ += bytes.size();
  if (filled > 0) {
    const auto part = std::min(64 - filled, bytes.size());
    std::ranges::copy(bytes.first(part), rest_.begin() + static_cast<std::ptrdiff_t>(filled));
    bytes = bytes.subspan(part);
    if (filled + part < 64) return;
    blocks(rest_.data(), 1);
  }
  blocks(bytes.data(), bytes.size() / 64);
  std::ranges::copy(bytes.last(bytes.size() % 64), rest_.begin());
}

std::string Digest::hex() && {
  const std::uint64_t bits = length_ * 8;
  const auto filled = static_cast<std::size_t>(length_ % 64);
  std::array<std::byte, 72> end{std::byte{0x80}};
  const std::size_t zeros = (filled < 56 ? 56 : 120) - filled;  // the 0x80 among them
  for (std::size_t i = 0; i < 8; ++i) end[zeros + i] = static_cast<std::byte>(bits >> (56 - 8 * i));
  add(std::span(end).first(zeros + 8));
  std::string text;
  for (const std::uint32_t word : state_)
    for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[word >> shift & 15];
  return text;
}

}  // namespace stackx::kernels
