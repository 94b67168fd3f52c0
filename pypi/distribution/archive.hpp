// Reading distributions: one member of a wheel of which only some bytes are here, and the members of a source
// archive that hold its metadata.
//
// A wheel is a zip: its directory stands at the end, so the last bytes say where METADATA lies, and mostly hold
// it. Its numbers are a stranger's: what does not lie within the file, unpacks to another checksum or is larger
// than any METADATA is a reason, as is a source archive that unpacks to more than 256 MiB or nests what packs it.
// Rejected: libarchive over a seekable remote file, which visits every member's local header and so
// reads the whole file in thousands of small pieces.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <variant>

#include "pypi/distribution/metadata.hpp"

namespace stackx::pypi {

struct ByteRange {
  std::uint64_t first = 0, last = 0;  // inclusive
};

// Where a wheel's METADATA lies.
struct Member {
  std::uint32_t method = 0, crc = 0, packed = 0, unpacked = 0, offset = 0;
};
ByteRange bytes_of(const Member& member);  // enough to read it

// From the last bytes of a wheel of `size` bytes: the member, or what must be read to find it, or why it
// cannot be had.
std::expected<std::variant<Member, ByteRange>, std::string> find_metadata(std::string_view tail,
                                                                          std::uint64_t size);

// `bytes` begin at the member's offset.
std::expected<std::string, std::string> read_member(std::string_view bytes, const Member& member);

// A larger one is not read.
inline constexpr std::uint64_t largest_source = 8 << 20;
inline constexpr const char* source_too_large = "source archive larger than 8 MiB";

// Of the bytes of a source archive (tar or zip, however packed).
std::expected<SourceFacts, std::string> read_source_archive(const std::string& bytes);

}  // namespace stackx::pypi
