// An empty directory of a test's own.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

namespace stackx::tests {

class Place {
 public:
  explicit Place(const std::string& name)
      : path_(std::filesystem::temp_directory_path() / ("stackx-" + name + "-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }
  ~Place() { std::filesystem::remove_all(path_); }
  Place(const Place&) = delete;

  std::filesystem::path operator/(const char* name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace stackx::tests
