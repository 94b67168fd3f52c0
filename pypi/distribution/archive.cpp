#include "pypi/distribution/archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

namespace stackx::pypi {
namespace {

constexpr std::uint64_t kLargestMember = 16 << 20;     // METADATA and requires.txt are text
constexpr std::uint64_t kLargestDirectory = 32 << 20;  // of a wheel: some 300,000 files
constexpr std::uint64_t kLargestUnpacked = 256 << 20;  // of a source archive; 8 MiB of it are asked for at most

// --- zip, as APPNOTE.TXT lays it out ---

constexpr std::size_t kEndSize = 22, kEntrySize = 46, kLocalSize = 30;

// Little-endian numbers of a byte string; the caller has checked that they are there.
std::uint32_t u16(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]) | static_cast<unsigned char>(bytes[at + 1]) << 8;
}
std::uint32_t u32(std::string_view bytes, std::size_t at) {
  return u16(bytes, at) | u16(bytes, at + 2) << 16;
}

bool is_metadata(std::string_view name) {
  constexpr std::string_view ending = ".dist-info/METADATA";
  return name.ends_with(ending) && name.find('/') == name.size() - 9;
}

std::optional<Member> search(std::string_view directory) {
  while (directory.size() >= kEntrySize && u32(directory, 0) == 0x02014b50) {
    const std::size_t name = u16(directory, 28);
    const std::size_t whole = kEntrySize + name + u16(directory, 30) + u16(directory, 32);
    if (directory.size() < whole) break;
    if (is_metadata(directory.substr(kEntrySize, name)))
      return Member{u16(directory, 10), u32(directory, 16), u32(directory, 20), u32(directory, 24),
                    u32(directory, 42)};
    directory.remove_prefix(whole);
  }
  return std::nullopt;
}

std::optional<std::string> inflate_member(std::string_view packed, std::uint32_t unpacked) {
  std::string result(unpacked, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return std::nullopt;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = unpacked;
  const int code = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (code != Z_STREAM_END || stream.avail_out != 0) return std::nullopt;
  return result;
}

std::unexpected<std::string> broken(const std::string& why) {
  return std::unexpected("wheel cannot be read: " + why);
}

// --- source archives ---

struct Closer {
  void operator()(archive* handle) const { archive_read_free(handle); }
};

// Reads members, and counts what all of them unpack to. Those that nobody wants are read too: skipped, they would be
// unpacked all the same, and nobody would count.
class MemberReader {
 public:
  explicit MemberReader(archive* handle) : handle_(handle) {}

  // The member that stands next; nothing if it is damaged or larger than a text may be.
  std::optional<std::string> text() {
    std::string text;
    const int code = blocks([&](std::string_view block) {
      text += block;
      return text.size() <= kLargestMember;
    });
    if (code != ARCHIVE_EOF) return std::nullopt;
    return text;
  }
  void skip() {  // one that is damaged does not matter
    blocks([](std::string_view) { return true; });
  }
  bool too_large() const { return unpacked_ > kLargestUnpacked; }

 private:
  template <typename Take>
  int blocks(Take&& take) {
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    int code = ARCHIVE_OK;
    unpacked_ += 512;  // its header: of members without bytes there are not too many either
    while (!too_large() && (code = archive_read_data_block(handle_, &block, &size, &offset)) == ARCHIVE_OK) {
      unpacked_ += size;
      if (!take(std::string_view(static_cast<const char*>(block), size))) return ARCHIVE_FAILED;
    }
    return code;
  }

  archive* handle_;
  std::uint64_t unpacked_ = 0;
};

std::unexpected<std::string> no_archive() { return std::unexpected(std::string("source archive cannot be unpacked")); }

// What source archives are packed with (PEP 625 and before). Not `filter_all`, which starts programs for some. One
// filter alone: of several, one inside the other, only what the last makes could be counted.
bool open(archive* handle, const std::string& bytes) {
  archive_read_support_filter_gzip(handle);
  archive_read_support_filter_bzip2(handle);
  archive_read_support_filter_xz(handle);
  archive_read_support_filter_lzma(handle);
  archive_read_support_filter_compress(handle);
  archive_read_support_format_tar(handle);
  archive_read_support_format_zip(handle);
  constexpr int filter_and_none = 2;
  return archive_read_open_memory(handle, bytes.data(), bytes.size()) == ARCHIVE_OK &&
         archive_filter_count(handle) <= filter_and_none;
}

}  // namespace

ByteRange bytes_of(const Member& member) {
  constexpr std::uint64_t kNames = 4096;  // name and extra field of the local header
  return {member.offset, member.offset + kLocalSize + kNames + member.packed};
}

std::expected<std::variant<Member, ByteRange>, std::string> find_metadata(std::string_view tail,
                                                                          std::uint64_t size) {
  if (tail.size() < kEndSize || tail.size() > size) return broken("it is too short");
  const std::uint64_t start = size - tail.size();
  auto end = tail.size() - kEndSize;  // a comment may follow
  while (u32(tail, end) != 0x06054b50)
    if (end-- == 0) return broken("no zip file");
  const std::uint64_t directory = u32(tail, end + 16);
  if (directory == 0xffffffff) return broken("it is a zip64 file");
  if (size - std::min(directory, size) > kLargestDirectory) return broken("its directory is larger than 32 MiB");
  if (directory < start) return ByteRange{directory, size - 1};
  if (directory > start + end) return broken("its directory lies outside of it");
  const auto member = search(tail.substr(directory - start, end - (directory - start)));
  if (!member) return broken("it holds no METADATA");
  if (member->packed > kLargestMember || member->unpacked > kLargestMember)
    return broken("METADATA is larger than 16 MiB");
  if (member->offset + kLocalSize + member->packed > directory)
    return broken("METADATA lies outside of it");
  return *member;
}

std::expected<std::string, std::string> read_member(std::string_view bytes, const Member& member) {
  if (bytes.size() < kLocalSize || u32(bytes, 0) != 0x04034b50) return broken("no zip file");
  const std::size_t skip = kLocalSize + u16(bytes, 26) + u16(bytes, 28);
  if (bytes.size() < skip + member.packed) return broken("it ends too early");
  const auto packed = bytes.substr(skip, member.packed);
  if (member.method != 0 && member.method != 8)
    return broken(fmt::format("unknown compression {}", member.method));
  auto text = member.method == 0 ? std::string(packed) : inflate_member(packed, member.unpacked);
  if (!text) return broken("METADATA cannot be unpacked");
  const auto* bytes_of_text = reinterpret_cast<const Bytef*>(text->data());
  if (crc32(0, bytes_of_text, static_cast<uInt>(text->size())) != member.crc)
    return broken("METADATA is not what its checksum says");
  return *std::move(text);
}

std::expected<SourceFacts, std::string> read_source_archive(const std::string& bytes) {
  const std::unique_ptr<archive, Closer> handle(archive_read_new());
  if (!open(handle.get(), bytes)) return no_archive();
  MemberReader members(handle.get());
  SourceFacts facts;
  archive_entry* entry = nullptr;
  int code = ARCHIVE_OK;
  bool any = false;
  while ((code = archive_read_next_header(handle.get(), &entry)) == ARCHIVE_OK ||
         code == ARCHIVE_WARN) {
    any = true;
    const char* path = archive_entry_pathname(entry);
    const std::filesystem::path name(path ? path : "");
    const auto depth = std::distance(name.begin(), name.end());
    const bool top = depth == 2 && name.filename() == "PKG-INFO";
    const bool listed = name.filename() == "requires.txt" && depth <= 4 &&
                        name.parent_path().extension() == ".egg-info";
    const bool project = depth == 2 && name.filename() == "pyproject.toml";
    if (top || listed || project) {
      auto text = members.text();
      if (!text) return no_archive();
      (top ? facts.pkg_info : project ? facts.pyproject : facts.requires_txt) = std::move(*text);
    } else {
      members.skip();
    }
    if (members.too_large()) return std::unexpected("source archive unpacks to more than 256 MiB");
  }
  if (code != ARCHIVE_EOF || !any) return no_archive();
  return facts;
}

}  // namespace stackx::pypi
