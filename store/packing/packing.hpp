// How sample times and hashes lie in a row.
//
// Samples: LEB128 varints of the zigzagged differences between successive samples (the first from
// 0). Samples of one process are close to each other, so 50 of them take about 150 bytes; plain
// 64-bit integers would take 400. Every sequence of 64-bit integers packs, negative ones too: a
// store keeps what was reported.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stackx::store {

std::string pack(const std::vector<std::int64_t>& samples);
std::vector<std::int64_t> unpack(
    std::string_view bytes);  // throws Error(environment) if cut short or overlong

// 64 lower-case hex digits <-> 32 bytes.
std::string bytes_of(std::string_view hex);  // throws Error(bad_input) if it is no such id
std::string hex_of(std::string_view bytes);

// 32 bits of 64-bit values, for rows that are read by the hundred thousand: 2 ns a value. A change
// of one value always shows (each step is a bijection), others with 1 - 2^-32.
std::int32_t mixed(std::span<const std::uint64_t> values);

// CRC-32 over fields, each with its length, so that no two different sequences of fields share
// their input.
class Checksum {
 public:
  Checksum& add(std::string_view field);
  Checksum& add(std::uint64_t field);
  Checksum& add(double field);
  std::uint32_t value() const;

 private:
  std::string input_;
};

}  // namespace stackx::store
