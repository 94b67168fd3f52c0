// A wheel as a zip with one stored member, METADATA: small enough to damage every byte of it.
#pragma once

#include <zlib.h>

#include <string>

namespace stackx::tests {

inline std::string little(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i) & 0xff);
  return text;
}

// `before`: bytes of other members, which stand first.
inline std::string fake_wheel(const std::string& metadata, std::size_t before = 0) {
  const std::string name = "a-1.dist-info/METADATA";
  const auto crc =
      crc32(0, reinterpret_cast<const Bytef*>(metadata.data()), static_cast<uInt>(metadata.size()));
  const auto facts = little(0, 2) + little(0, 2) + little(0, 4) + little(crc, 4) +
                     little(metadata.size(), 4) + little(metadata.size(), 4) +
                     little(name.size(), 2) + little(0, 2);
  const auto local =
      std::string(before, 'x') + "PK\x03\x04" + little(20, 2) + facts + name + metadata;
  const auto directory = "PK\x01\x02" + little(20, 2) + little(20, 2) + facts + little(0, 2) +
                         little(0, 2) + little(0, 2) + little(0, 4) + little(before, 4) + name;
  return local + directory + "PK\x05\x06" + little(0, 4) + little(1, 2) + little(1, 2) +
         little(directory.size(), 4) + little(local.size(), 4) + little(0, 2);
}

}  // namespace stackx::tests
