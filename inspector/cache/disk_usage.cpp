#include "inspector/cache/disk_usage.hpp"

#include <sys/stat.h>

#include <set>

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

// Calls `see` with what lstat says of the tree and everything in it. What vanishes meanwhile is left out.
template <typename See>
void walk(const fs::path& tree, const See& see) {
  struct stat status {};
  if (lstat(tree.c_str(), &status) != 0) return;
  see(status);
  if (!S_ISDIR(status.st_mode)) return;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(tree, error), end; !error && entry != end;
       entry.increment(error))
    if (lstat(entry->path().c_str(), &status) == 0) see(status);
}

std::uint64_t bytes_of(const struct stat& status) {
  return static_cast<std::uint64_t>(status.st_blocks) * 512;  // POSIX: its unit, whatever the block size
}

}  // namespace

DiskUsage LinkCount::add(const fs::path& tree) {
  DiskUsage usage;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> open;  // not all of its links seen: bytes
  walk(tree, [&](const struct stat& status) {
    if (S_ISDIR(status.st_mode)) {
      usage.own += bytes_of(status);
      return;
    }
    const std::pair<std::uint64_t, std::uint64_t> inode(status.st_dev, status.st_ino);
    const bool last = ++seen_[inode] >= status.st_nlink;
    if (!last) {
      open[inode] = bytes_of(status);
      return;
    }
    open.erase(inode);
    usage.own += bytes_of(status);
  });
  for (const auto& [inode, bytes] : open) usage.shared += bytes;
  return usage;
}

DiskUsage disk_usage(const fs::path& tree) { return LinkCount().add(tree); }

std::uint64_t disk_bytes(const fs::path& tree) {
  std::uint64_t bytes = 0;
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  walk(tree, [&](const struct stat& status) {
    if (seen.emplace(status.st_dev, status.st_ino).second) bytes += bytes_of(status);
  });
  return bytes;
}

}  // namespace stackx::inspector
