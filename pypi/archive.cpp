#include "pypi/archive.hpp"

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

constexpr std::uint64_t kLargestMember = 16 << 20;  // METADATA and requires.txt are text

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
      return Member{u16(directory, 10), u32(directory, 20), u32(directory, 24), u32(directory, 42)};
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

std::optional<std::string> contents(archive* handle, archive_entry* entry) {
  if (archive_entry_size(entry) > static_cast<la_int64_t>(kLargestMember)) return std::nullopt;
  std::string text;
  char buffer[1 << 14];
  while (true) {
    const auto got = archive_read_data(handle, buffer, sizeof buffer);
    if (got < 0 || text.size() > kLargestMember) return std::nullopt;
    if (got == 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
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
  if (directory < start) return ByteRange{directory, size - 1};
  if (directory > start + end) return broken("its directory lies outside of it");
  const auto member = search(tail.substr(directory - start, end - (directory - start)));
  if (!member) return broken("it holds no METADATA");
  if (member->packed > kLargestMember || member->unpacked > kLargestMember)
    return broken("METADATA is larger than 16 MiB");
  return *member;
}

std::expected<std::string, std::string> read_member(std::string_view bytes, const Member& member) {
  if (bytes.size() < kLocalSize || u32(bytes, 0) != 0x04034b50) return broken("no zip file");
  const std::size_t skip = kLocalSize + u16(bytes, 26) + u16(bytes, 28);
  if (bytes.size() < skip + member.packed) return broken("it ends too early");
  const auto packed = bytes.substr(skip, member.packed);
  if (member.method == 0) return std::string(packed);
  if (member.method != 8) return broken(fmt::format("unknown compression {}", member.method));
  auto text = inflate_member(packed, member.unpacked);
  if (!text) return broken("METADATA cannot be unpacked");
  return *std::move(text);
}

std::expected<SourceFacts, std::string> read_source_archive(const std::string& bytes) {
  const std::unique_ptr<archive, Closer> handle(archive_read_new());
  archive_read_support_filter_all(handle.get());
  archive_read_support_format_tar(handle.get());
  archive_read_support_format_zip(handle.get());
  if (archive_read_open_memory(handle.get(), bytes.data(), bytes.size()) != ARCHIVE_OK)
    return std::unexpected("source archive cannot be unpacked");
  SourceFacts facts;
  archive_entry* entry = nullptr;
  int code = ARCHIVE_OK;
  std::size_t members = 0;
  while ((code = archive_read_next_header(handle.get(), &entry)) == ARCHIVE_OK ||
         code == ARCHIVE_WARN) {
    ++members;
    const char* path = archive_entry_pathname(entry);
    const std::filesystem::path name(path ? path : "");
    const auto depth = std::distance(name.begin(), name.end());
    const bool top = depth == 2 && name.filename() == "PKG-INFO";
    const bool listed = name.filename() == "requires.txt" && depth <= 4 &&
                        name.parent_path().extension() == ".egg-info";
    const bool project = depth == 2 && name.filename() == "pyproject.toml";
    if (!top && !listed && !project) continue;
    auto text = contents(handle.get(), entry);
    if (!text) return std::unexpected("source archive cannot be unpacked");
    (top ? facts.pkg_info : project ? facts.pyproject : facts.requires_txt) = std::move(*text);
  }
  if (code != ARCHIVE_EOF || members == 0)
    return std::unexpected("source archive cannot be unpacked");
  return facts;
}

}  // namespace stackx::pypi
