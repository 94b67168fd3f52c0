// One builder at a time: an exclusive flock, which the kernel releases if its holder dies.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace stackx::inspector {

class FileLock {
 public:
  // Creates the file if need be. Waits while another process (or another FileLock) holds it, and says once
  // that it waits, unless `stop` says so. Throws Error(environment) if the file cannot be opened.
  FileLock(const std::filesystem::path& file, const std::function<void(const std::string&)>& say,
           const std::function<bool()>& stop = {});
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  bool held() const { return held_; }  // false only if `stop` ended the wait

 private:
  int fd_ = -1;
  bool held_ = false;
};

inline bool never_wait() { return true; }  // a `stop` for those who only try

}  // namespace stackx::inspector
