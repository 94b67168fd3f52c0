// A directory and a cache of a test's own, both gone afterwards.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace stackx::workspace::testing {

class Scene {
 public:
  Scene() : before_(std::filesystem::current_path()) {
    auto name = (std::filesystem::temp_directory_path() / "stackx-test-XXXXXX").string();
    root_ = std::filesystem::canonical(mkdtemp(name.data()));
    setenv("XDG_CACHE_HOME", (root_ / "cache").c_str(), 1);
    std::filesystem::current_path(root_);
  }
  ~Scene() {
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
    std::filesystem::remove_all(root_, ignored);
    unsetenv("XDG_CACHE_HOME");
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  std::filesystem::path write(const std::string& name, const std::string& text, bool executable = false) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
    if (executable) std::filesystem::permissions(root_ / name, std::filesystem::perms(0755));
    return root_ / name;
  }
  std::filesystem::path root() const { return root_; }

 private:
  std::filesystem::path before_, root_;
};

}  // namespace stackx::workspace::testing
