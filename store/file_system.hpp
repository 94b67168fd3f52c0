// What kind of file system a file lies on, as statfs(2) tells it.
//
// SQLite's write-ahead log needs memory that all its processes share by mapping one file: on a network
// file system processes of two machines cannot share it, and on some it cannot be mapped at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace stackx::store {

struct FileSystem {
  std::string name;               // "ext4", "nfs", "fuse"; "" if unknown
  bool between_machines = false;  // several machines can have it mounted
};

FileSystem file_system_of(
    const std::filesystem::path& file);          // or of the nearest directory above that exists
// The file itself where `file` is a link to it: beside it SQLite keeps its companions (-wal, -journal), not beside the
// link. Throws Error where there is no end of links.
std::filesystem::path real_file(const std::filesystem::path& file);
FileSystem file_system_by(std::uint64_t magic);  // linux/magic.h and the systems' own sources

}  // namespace stackx::store
