#include "inspector/file_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "specs/error.hpp"

namespace stackx::inspector {

FileLock::FileLock(const std::filesystem::path& file,
                   const std::function<void(const std::string&)>& say,
                   const std::function<bool()>& stop) {
  fd_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd_ < 0) {
    throw broken_environment(fmt::format("{}: cannot be opened: {}; is the cache directory writable?",
                                         file.string(), strerror(errno)));
  }
  bool said = false;
  while (flock(fd_, LOCK_EX | LOCK_NB) != 0) {
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
