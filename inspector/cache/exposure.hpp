// Who can write what is cached: nobody, where a sandbox shows it read-only; whatever runs, where there is none.
//
// What runs without a sandbox is of our own user and can write wherever we can, on purpose or not. So then no two stacks
// share a file (trees are copies, cloned where the file system can), and before a file is used it is compared with
// the hash that it had when it was installed. Nothing more can be promised: see docs/security.md.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

namespace stackx::inspector {

enum class Exposure { confined, open };

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
