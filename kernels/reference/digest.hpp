// SHA-256 (FIPS 180-4) of a result's bytes: that two results have the same bits is said by their digests alone, of documents
// that were made on different days. Python's hashlib has the same in every version; a checksum (CRC) would do for chance, but
// documents are claims, and a claim of equal bits must not be had by accident of 2^32. By the processor's own instructions where
// it has them: three digests of a result are part of every inspection. Rejected: OpenSSL's, which everything else here uses: a
// stack brings its own of another version, and what a PI loads must be the stack's alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace stackx::kernels {

bool has_sha_instructions();

class Digest {
 public:
  explicit Digest(bool by_instructions = has_sha_instructions()) : by_instructions_(by_instructions) {}
  void add(std::span<const std::byte> bytes);
  std::string hex() &&;  // 64 digits

 private:
  void blocks(const std::byte* bytes, std::size_t count);
  bool by_instructions_;
  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> rest_{};  // what does not fill a block yet
  std::uint64_t length_ = 0;
};

}  // namespace stackx::kernels
