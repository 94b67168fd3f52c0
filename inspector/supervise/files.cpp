#include "inspector/supervise/files.hpp"

#include <fts.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace stackx::supervise {
namespace {

constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t bytes_of_a_file = 1024;  // an inode and its name, about

template <typename Visit>
void walk(const std::vector<const char*>& trees, Visit visit) {
  if (trees.empty()) return;
  std::vector<char*> roots;
  for (const char* tree : trees) roots.push_back(const_cast<char*>(tree));
  roots.push_back(nullptr);
  FTS* files = fts_open(roots.data(), FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, nullptr);
  if (files == nullptr) return;
  while (const FTSENT* entry = fts_read(files))
    if (entry->fts_info != FTS_DP) visit(*entry);
  fts_close(files);
}

}  // namespace

void give(const std::vector<const char*>& trees, uid_t user) {
  walk(trees, [user](const FTSENT& entry) { (void)!lchown(entry.fts_path, user, user); });
}

std::uint64_t disk_used(const std::vector<const char*>& trees) {
  std::uint64_t sum = 0;
  bool hidden = false;
  walk(trees, [&](const FTSENT& entry) {
    const bool failed = entry.fts_info == FTS_NS || entry.fts_info == FTS_DNR || entry.fts_info == FTS_ERR;
    if (!failed) sum += static_cast<std::uint64_t>(entry.fts_statp->st_blocks) * 512 + bytes_of_a_file;
    hidden |= failed && entry.fts_errno != ENOENT && entry.fts_errno != ENOTDIR;  // gone meanwhile
  });
  return hidden ? unlimited : sum;
}

std::uint64_t disk_left(const std::vector<const char*>& trees) {
  std::uint64_t least = unlimited;
  for (const char* tree : trees) {
    struct statfs status {};
    if (statfs(tree, &status) != 0) continue;
    least = std::min(least, status.f_bavail * static_cast<std::uint64_t>(status.f_bsize));
    if (status.f_files > 0) least = std::min<std::uint64_t>(least, status.f_ffree * bytes_of_a_file);  // else no limit
  }
  return least;
}

std::uint64_t scratch_used() {
  std::uint64_t sum = 0;
  for (const char* place : {"/tmp", "/dev", "/dev/shm"}) {
    struct statfs status {};
    if (statfs(place, &status) != 0 || status.f_type != TMPFS_MAGIC) continue;
    sum += (status.f_blocks - status.f_bfree) * static_cast<std::uint64_t>(status.f_bsize);
    sum += (status.f_files - status.f_ffree) * bytes_of_a_file;
  }
  return sum;
}

}  // namespace stackx::supervise
