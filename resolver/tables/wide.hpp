// Unsigned integers of W 64-bit words that wrap around: the numbers in the engine's tables.
//
// Sums there run through differences whose results are known to fit, so wrapping is exact. Beyond
// twelve words the tables hold BigInt, with the same free functions. Rejected: Boost's fixed-width
// cpp_int, whose products take several times as long.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>

#include "resolver/resolver.hpp"
#include "specs/random.hpp"

namespace stackx::resolver {

__extension__ typedef unsigned __int128 Product;  // of two words

template <std::size_t W>
struct Wide {
  std::array<std::uint64_t, W> words{};  // least significant first

  Wide() = default;
  Wide(std::int64_t value) {  // two's complement
    words.fill(value < 0 ? ~std::uint64_t{0} : 0);
    words[0] = static_cast<std::uint64_t>(value);
  }

  Wide& operator+=(const Wide& other) {
    unsigned char carry = 0;
    for (std::size_t i = 0; i < W; ++i) {
      std::uint64_t sum;
      const bool one = __builtin_add_overflow(words[i], other.words[i], &sum);
      const bool two = __builtin_add_overflow(sum, std::uint64_t{carry}, &words[i]);
      carry = one || two;
    }
    return *this;
  }
  Wide& operator-=(const Wide& other) {
    unsigned char borrow = 0;
    for (std::size_t i = 0; i < W; ++i) {
      std::uint64_t difference;
      const bool one = __builtin_sub_overflow(words[i], other.words[i], &difference);
      const bool two = __builtin_sub_overflow(difference, std::uint64_t{borrow}, &words[i]);
      borrow = one || two;
    }
    return *this;
  }
  friend Wide operator*(const Wide& a, const Wide& b) {
    Wide result;
    for (std::size_t i = 0; i < W; ++i) {
      std::uint64_t carry = 0;
      for (std::size_t j = 0; i + j < W; ++j) {
        const auto product =
            static_cast<Product>(a.words[i]) * b.words[j] + result.words[i + j] + carry;
        result.words[i + j] = static_cast<std::uint64_t>(product);
        carry = static_cast<std::uint64_t>(product >> 64);
      }
    }
    return result;
  }
  friend Wide operator+(Wide a, const Wide& b) { return a += b; }
  friend Wide operator-(Wide a, const Wide& b) { return a -= b; }
  Wide& operator*=(const Wide& other) { return *this = *this * other; }

  friend bool operator==(const Wide&, const Wide&) = default;
  friend std::strong_ordering operator<=>(const Wide& a, const Wide& b) {
    for (std::size_t i = W; i-- > 0;)
      if (a.words[i] != b.words[i]) return a.words[i] <=> b.words[i];
    return std::strong_ordering::equal;
  }
};

template <std::size_t W>
bool is_zero(const Wide<W>& value) {
  std::uint64_t any = 0;
  for (const auto word : value.words) any |= word;
  return any == 0;
}
inline bool is_zero(const BigInt& value) { return value.is_zero(); }

template <std::size_t W>
BigInt to_big(const Wide<W>& value) {
  BigInt result = 0;
  for (std::size_t i = W; i-- > 0;) result = (result << 64) | value.words[i];
  return result;
}
inline const BigInt& to_big(const BigInt& value) { return value; }

// Uniform in [0, bound), without bias; bound > 0. The same draws for every width.
BigInt below(specs::Random& random, const BigInt& bound);

template <std::size_t W>
Wide<W> below(specs::Random& random, const Wide<W>& bound) {
  Wide<W> most = bound - Wide<W>(1);
  std::size_t top = W - 1;
  while (top > 0 && most.words[top] == 0) --top;
  const int unused = std::countl_zero(most.words[top] | 1);
  const std::uint64_t mask = most.words[top] == 0 ? 0 : ~std::uint64_t{0} >> unused;
  while (true) {
    Wide<W> value;
    for (std::size_t i = 0; i <= top; ++i) value.words[i] = random.next();
    value.words[top] &= mask;
    if (value < bound) return value;
  }
}

}  // namespace stackx::resolver
