// Who can write what is cached: nobody, where a sandbox shows it read-only; whatever runs, where there is none.
//
// What runs without a sandbox is of our own user and can write wherever we can, on purpose or not. So it is shown
// nothing that a sandbox will show: its wheels and trees are in <cache>/open. There no two stacks share a file (trees
// are copies, cloned where the file system can), and before a file is used it is compared with the hash that it had
// when it was installed. Nothing more can be promised: see docs/security.md. Rejected: one cache, in which what was
// exposed is marked; whoever changes a file can change the mark.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace stackx::inspector {

enum class Exposure { confined, open };

// Below the cache directory: where wheels, environments and uv's cache lie.
inline std::filesystem::path root_of(Exposure exposure, const std::filesystem::path& cache) {
  return exposure == Exposure::open ? cache / "open" : cache;
}

// What is made meanwhile can be read by everybody: root's inspections run as another user, whatever root's umask is.
class ReadableByAll {
 public:
  ReadableByAll() : before_(umask(022)) {}
  ~ReadableByAll() { umask(before_); }
  ReadableByAll(const ReadableByAll&) = delete;
  ReadableByAll& operator=(const ReadableByAll&) = delete;

 private:
  mode_t before_;
};

// Whether what a sandbox shows can be read there.
inline bool readable_inside(const struct stat& status) { return geteuid() != 0 || (status.st_mode & S_IROTH) != 0; }

}  // namespace stackx::inspector
