// What a tree of installed files must hold, directory by directory.
//
// A TensorFlow's environment is 18,600 files in 4,000 directories, and they are looked at before every use: each by its
// name in its open directory, because with whole paths the kernel walks most of the time, and on all processors.
// Rejected: to trust a tree whose directories have the times that they had; who writes to a file changes none of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stackx::inspector {

class FileList {
 public:
  struct File {
    const char* name;  // in its directory
    std::uint64_t size;
    std::size_t owner;  // whoever adds it knows of what
  };
  using Directory = std::pair<const std::string, std::map<std::string_view, File>>;  // "" is the root

  // The path is relative, and must outlive the list. Of one path the first counts: false for a later one.
  bool add(const std::string& path, std::uint64_t size, std::size_t owner = 0);
  void allow(std::string name) { allowed_.push_back(std::move(name)); }  // may lie in the root

  // Whether all lie there with their sizes, readable by those who run. A link counts as the file it leads to.
  bool lies_in(const std::filesystem::path& root) const;
  // Whether there is no other file.
  bool is_all_in(const std::filesystem::path& root) const;

  // Calls work(directory) for each that holds files, after those above it; several at once. Throws what one threw.
  void for_each_directory(const std::function<void(const Directory&)>& work) const;

 private:
  friend class FileWalk;
  std::map<std::string, std::map<std::string_view, File>, std::less<>> directories_;
  std::vector<std::string> allowed_;
};

}  // namespace stackx::inspector
