// One pass over a project at a time: a timer that comes again before the last pass has ended must not measure beside it.
//
// A file beside the store, named by the watch's id and locked as long as this lives (flock: the kernel lets go of it when its
// holder ends, kill -9 or not), which says who holds it. The second ends at once; it does not wait, since its timer comes again.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "inspector/cache/file_lock.hpp"

namespace stackx::watch {

class PassLock {
 public:
  // Throws Error(bad_input), naming the holder, where another process has it.
  PassLock(const std::filesystem::path& database, const std::string& id, const std::string& project);
  ~PassLock();
  PassLock(const PassLock&) = delete;
  PassLock& operator=(const PassLock&) = delete;

 private:
  std::filesystem::path file_;
  std::unique_ptr<inspector::FileLock> lock_;
};

}  // namespace stackx::watch
