// What kind of file system a file lies on, as statfs(2) tells it.
//
// SQLite's write-ahead log needs memory that all its processes share by mapping one file: on a network
// file system processes of two machines cannot share it, and on some it cannot be mapped at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "specs/format/real_file.hpp"

namespace stackx::store {

using specs::real_file;  // SQLite keeps a store's companions (-wal, -journal) beside the file itself

struct FileSystem {
  std::string name;               // "ext4", "nfs", "fuse"; "" if unknown
  bool between_machines = false;  // several machines can have it mounted
};

FileSystem file_system_of(
    const std::filesystem::path& file);          // or of the nearest directory above that exists
FileSystem file_system_by(std::uint64_t magic);  // linux/magic.h and the systems' own sources

// Device and inode: which file it is, whatever stands at its path by now. None: it is not there.
using FileIdentity = std::optional<std::pair<std::uint64_t, std::uint64_t>>;
FileIdentity identity_of(const std::filesystem::path& file);

// With those above it that are missing; a new one is durable when its parent is. Throws Error(environment).
void make_directory(const std::filesystem::path& directory);

// Where a new store is to lie: Error(bad_input) if something is there, or what SQLite would take for its log. `how`: "" or " with -o".
void refuse_place_of_another(const std::filesystem::path& store, const std::string& how = {});

}  // namespace stackx::store
