// Whether the store's file is still the one that was opened: who moves it away, deletes it or puts a backup in its place leaves
// this process with a file that nobody else sees, and what it acknowledges would be lost.
#pragma once

#include <filesystem>
#include <string>

namespace stackx::serve {

class StoreFile {
 public:
  // Once it is open for writing: a layered file system makes another file of it then.
  explicit StoreFile(const std::filesystem::path& path);
  // What happened to it and what to do, in words; "": nothing. From any thread.
  std::string lost() const;

 private:
  struct Identity {
    unsigned long long device = 0, inode = 0;
    bool operator==(const Identity&) const = default;
  };
  static Identity identity_of(const std::filesystem::path& path);  // zeros: it is not there

  std::filesystem::path path_;
  Identity opened_;
};

}  // namespace stackx::serve
