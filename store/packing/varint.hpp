// LEB128 varints and zigzag, as protocol buffers have them: small numbers of either sign are short.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "specs/error.hpp"

namespace stackx::store {

// Differences wrap around: unsigned arithmetic makes every step invertible.
inline std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1) ^ (std::uint64_t{0} - (difference >> 63));
}
inline std::uint64_t unzigzag(std::uint64_t value) {
  return (value >> 1) ^ (std::uint64_t{0} - (value & 1));
}

inline void put_varint(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
}
inline void put_difference(std::string& bytes, std::int64_t value, std::int64_t base) {
  put_varint(bytes, zigzag(static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(base)));
}

// Takes from the front; throws Error(environment) if a number is cut short or too long.
inline std::uint64_t take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  std::size_t i = 0;
  for (int shift = 0;; shift += 7) {
    if (i == bytes.size() || shift > 63 ||
        (shift == 63 && static_cast<unsigned char>(bytes[i]) > 1))
      throw broken_environment("packed numbers are damaged: one ends in the middle or is too long");
    const auto byte = static_cast<unsigned char>(bytes[i++]);
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (!(byte & 0x80)) break;
  }
  bytes.remove_prefix(i);
  return value;
}
inline std::int64_t take_difference(std::string_view& bytes, std::int64_t base) {
  return static_cast<std::int64_t>(unzigzag(take_varint(bytes)) + static_cast<std::uint64_t>(base));
}

}  // namespace stackx::store
