#include "inspector/supervise/files.hpp"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "inspector/supervise/processes.hpp"

namespace stackx::supervise {
namespace {

constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t bytes_of_a_file = 1024;  // an inode and its name, about

// A file as a walk meets it: what lstat says of it, or why nothing can be said of it or of what it holds.
struct Entry {
  const char* path;
  const struct stat* status;
  int error;
};

// Symbolic links are not followed, nor mounts below a root entered. Directories wait by their names, not open: a tree may
// be deeper than there are descriptors. Rejected: fts (only glibc has it), nftw (ends at the first name that is gone).
template <typename Visit>
void walk(const std::vector<const char*>& trees, Visit visit) {
  for (const char* tree : trees) {
    dev_t device = 0;
    std::vector<std::string> directories;
    const auto meet = [&](const std::string& path, bool is_root) {
      struct stat status {};
      if (lstat(path.c_str(), &status) != 0) return visit(Entry{path.c_str(), nullptr, errno});
      if (is_root) device = status.st_dev;
      visit(Entry{path.c_str(), &status, 0});
      if (S_ISDIR(status.st_mode) && status.st_dev == device) directories.push_back(path);
    };
    meet(tree, true);
    while (!directories.empty()) {
      const std::string directory = std::move(directories.back());
      directories.pop_back();
      DIR* handle = opendir(directory.c_str());
      if (handle == nullptr) {
        visit(Entry{directory.c_str(), nullptr, errno});
        continue;
      }
      while (const dirent* entry = readdir(handle))
        if (const std::string name = entry->d_name; name != "." && name != "..") meet(directory + "/" + name, false);
      closedir(handle);
    }
  }
}

std::uint64_t bytes_of(const struct stat& status) { return static_cast<std::uint64_t>(status.st_blocks) * 512; }

using Inodes = std::set<std::pair<dev_t, ino_t>>;

// Of one table of descriptors; false if it is closed to us.
bool add_unnamed(const std::string& descriptors, Inodes& seen, std::uint64_t& sum) {
  DIR* handle = opendir(descriptors.c_str());
  if (handle == nullptr) return errno != EACCES && errno != EPERM;  // else it has ended
  while (const dirent* entry = readdir(handle)) {
    if (entry->d_name[0] == '.') continue;
    const auto file = descriptors + "/" + entry->d_name;
    struct stat status {};
    if (stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 0 &&
        seen.emplace(status.st_dev, status.st_ino).second)
      sum += bytes_of(status);
  }
  closedir(handle);
  return true;
}

// "36 25 0:31 /part /place rw,nosuid shared:1 - tmpfs tmpfs rw,size=1024k": proc(5), but for what is passed over.
struct Mount {
  dev_t device = 0;
  std::string part, place, type;
  bool writable = false;  // as it is mounted here, and at all
};

// A mount's names have spaces and the like as "\040"; such a place is no engine's.
std::vector<Mount> mounts() {
  std::vector<Mount> result;
  std::istringstream lines(read_small("/proc/self/mountinfo"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    Mount mount;
    std::string word, here, everywhere;
    unsigned major = 0, minor = 0;
    char colon = 0;
    words >> word >> word >> major >> colon >> minor >> mount.part >> mount.place >> here;
    while (words >> word && word != "-") {
    }
    if (!(words >> mount.type >> word >> everywhere)) continue;
    mount.device = makedev(major, minor);
    mount.writable = here.starts_with("rw") && everywhere.starts_with("rw");
    result.push_back(std::move(mount));
  }
  return result;
}

}  // namespace

void give(const std::vector<const char*>& trees, uid_t user) {
  walk(trees, [user](const Entry& entry) { (void)!lchown(entry.path, user, user); });
}

std::uint64_t disk_used(const std::vector<const char*>& trees) {
  std::uint64_t sum = 0;
  bool hidden = false;
  walk(trees, [&](const Entry& entry) {
    if (entry.status != nullptr) sum += bytes_of(*entry.status) + bytes_of_a_file;
    hidden |= entry.error != 0 && entry.error != ENOENT && entry.error != ENOTDIR;  // gone meanwhile
  });
  return hidden ? unlimited : sum;
}

// A thread may have a table of its own; what several hold counts once.
std::uint64_t disk_unnamed(const std::vector<pid_t>& pids) {
  std::uint64_t sum = 0;
  Inodes seen;
  for (const pid_t pid : pids)
    for (const pid_t thread : threads_of(pid))
      if (!add_unnamed("/proc/" + std::to_string(pid) + "/task/" + std::to_string(thread) + "/fd", seen, sum))
        return unlimited;
  return sum;
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

std::vector<std::string> scratch_places(const std::vector<const char*>& trees) {
  std::vector<std::string> result;
  for (const auto& mount : mounts()) {
    if (mount.type != "tmpfs" || mount.part != "/" || !mount.writable) continue;
    struct stat root {};  // another mount may lie over it
    if (stat(mount.place.c_str(), &root) == 0 && root.st_dev == mount.device &&
        std::ranges::find(trees, mount.place) == trees.end())
      result.push_back(mount.place);
  }
  return result;
}

std::uint64_t scratch_used(const std::vector<std::string>& places) {
  std::uint64_t sum = 0;
  for (const auto& place : places) {
    struct statfs status {};
    if (statfs(place.c_str(), &status) != 0) continue;
    sum += (status.f_blocks - status.f_bfree) * static_cast<std::uint64_t>(status.f_bsize);
    sum += (status.f_files - status.f_ffree) * bytes_of_a_file;
  }
  return sum;
}

}  // namespace stackx::supervise
