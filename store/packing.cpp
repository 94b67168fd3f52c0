#include "store/packing.hpp"

#include <fmt/format.h>

#include <bit>
#include <boost/crc.hpp>

#include "specs/error.hpp"

namespace stackx::store {
namespace {

// Differences wrap around: unsigned arithmetic makes every step invertible.
std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1) ^ (std::uint64_t{0} - (difference >> 63));
}
std::uint64_t unzigzag(std::uint64_t value) {
  return (value >> 1) ^ (std::uint64_t{0} - (value & 1));
}

int nibble(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

[[noreturn]] void damaged_samples() {
  throw broken_environment(
      "packed samples are damaged: a number ends in the middle or is too long");
}

}  // namespace

std::string pack(const std::vector<std::int64_t>& samples) {
  std::string bytes;
  bytes.reserve(samples.size() * 4);
  std::uint64_t previous = 0;
  for (const std::int64_t sample : samples) {
    const auto current = static_cast<std::uint64_t>(sample);
    std::uint64_t value = zigzag(current - previous);
    previous = current;
    for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
    bytes += static_cast<char>(value);
  }
  return bytes;
}

std::vector<std::int64_t> unpack(std::string_view bytes) {
  std::vector<std::int64_t> samples;
  std::uint64_t previous = 0;
  for (std::size_t i = 0; i < bytes.size();) {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      if (i == bytes.size() || shift > 63) damaged_samples();
      const auto byte = static_cast<unsigned char>(bytes[i++]);
      if (shift == 63 && byte > 1) damaged_samples();
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (!(byte & 0x80)) break;
    }
    previous += unzigzag(value);
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
