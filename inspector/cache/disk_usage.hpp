// What trees of hard links take on the disk, and what removing them gives back.
//
// A wheel's files are linked into uv's cache and into every environment that holds the wheel: their bytes
// are there once, and come back only with the last link.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <utility>

namespace stackx::inspector {

struct DiskUsage {
  std::uint64_t own = 0;     // bytes that nothing else holds, directories among them
  std::uint64_t shared = 0;  // bytes that are linked from elsewhere, too
};

// Several trees in turn: `own` is what comes back when this one goes after those that were added before.
class LinkCount {
 public:
  DiskUsage add(const std::filesystem::path& tree);
  void forget() { seen_.clear(); }  // the trees added so far are really gone

 private:
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> seen_;  // device, inode -> links
};

DiskUsage disk_usage(const std::filesystem::path& tree);

// Bytes on the disk of a tree, every file once.
std::uint64_t disk_bytes(const std::filesystem::path& tree);

}  // namespace stackx::inspector
