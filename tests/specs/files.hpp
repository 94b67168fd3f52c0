// A temporary directory with files of a test in it.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace stackx::tests {

class Files {
 public:
  Files()
      : path_(std::filesystem::temp_directory_path() /
              ("stackx-files-" + std::to_string(getpid())) / "shop") {
    std::filesystem::create_directories(path_);
  }
  ~Files() { std::filesystem::remove_all(path_.parent_path()); }
  Files(const Files&) = delete;

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace stackx::tests
