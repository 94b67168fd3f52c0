#include "store/packing/packing.hpp"

#include <fmt/format.h>

#include <bit>
#include <boost/crc.hpp>

#include "specs/error.hpp"
#include "store/packing/varint.hpp"

namespace stackx::store {
namespace {

int nibble(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string pack(const std::vector<std::int64_t>& samples) {
  std::string bytes;
  bytes.reserve(samples.size() * 4);
  std::uint64_t previous = 0;
  for (const std::int64_t sample : samples) {
    const auto current = static_cast<std::uint64_t>(sample);
    put_varint(bytes, zigzag(current - previous));
    previous = current;
  }
  return bytes;
}

std::vector<std::int64_t> unpack(std::string_view bytes) {
  std::vector<std::int64_t> samples;
  std::uint64_t previous = 0;
  while (!bytes.empty()) {
    previous += unzigzag(take_varint(bytes));
    samples.push_back(static_cast<std::int64_t>(previous));
  }
  return samples;
}

std::string bytes_of(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; hex.size() == 64 && i < 64; i += 2) {
    const int high = nibble(hex[i]), low = nibble(hex[i + 1]);
    if (high < 0 || low < 0) break;
    bytes += static_cast<char>(high * 16 + low);
  }
  if (bytes.size() != 32)
    throw bad_input(fmt::format("\"{}\" is no id: expected 64 lower-case hex digits", hex));
  return bytes;
}

std::string hex_of(std::string_view bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    hex += digits[static_cast<unsigned char>(c) >> 4];
    hex += digits[static_cast<unsigned char>(c) & 15];
  }
  return hex;
}

std::int32_t mixed(std::span<const std::uint64_t> values) {
  std::uint64_t state = 0x9e3779b97f4a7c15;
  for (const std::uint64_t value : values) {
    state = (state ^ value) * 0xff51afd7ed558ccd;
    state ^= state >> 32;
  }
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(state));
}

Checksum& Checksum::add(std::string_view field) {
  add(static_cast<std::uint64_t>(field.size()));
  input_ += field;
  return *this;
}

Checksum& Checksum::add(std::uint64_t field) {
  for (int i = 0; i < 8; ++i) input_ += static_cast<char>(field >> (8 * i));
  return *this;
}

Checksum& Checksum::add(double field) { return add(std::bit_cast<std::uint64_t>(field)); }

std::uint32_t Checksum::value() const {
  boost::crc_32_type crc;
  crc.process_bytes(input_.data(), input_.size());
  return crc.checksum();
}

}  // namespace stackx::store
