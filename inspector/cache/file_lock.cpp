#include "inspector/cache/file_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "specs/error.hpp"

namespace stackx::inspector {
namespace {

int open_file(const std::filesystem::path& file) {
  const int fd = open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  struct stat status {};
  if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) return fd;
  if (fd >= 0) {
    close(fd);
    throw bad_input(fmt::format("{}: no plain file, as stackx's locks are; remove it", file.string()));
  }
  throw broken_environment(fmt::format("{}: cannot be opened: {}; is the cache directory writable?",
                                       file.string(), strerror(errno)));
}

// `stackx env prune` removes a lock with what it guards: who waited for it holds a file without a name.
bool has_name(int fd, const std::filesystem::path& file) {
  struct stat held {}, named {};
  return fstat(fd, &held) == 0 && stat(file.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
         held.st_dev == named.st_dev;
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& file,
                   const std::function<void(const std::string&)>& say,
                   const std::function<bool()>& stop) {
  fd_ = open_file(file);
  bool said = false;
  for (;;) {
    if (flock(fd_, LOCK_EX | LOCK_NB) == 0) {
      if (has_name(fd_, file)) break;
      close(fd_);
      fd_ = open_file(file);
      continue;
    }
    if (errno != EWOULDBLOCK && errno != EINTR) {
      const int error = errno;
      close(fd_);
      throw broken_environment(
          fmt::format("{}: cannot be locked: {}", file.string(), strerror(error)));
    }
    if (stop && stop()) return;
    if (!said && say) say("waiting for another stackx that builds the same");
    said = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  held_ = true;
}

FileLock::~FileLock() { close(fd_); }

}  // namespace stackx::inspector
