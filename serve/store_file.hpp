// Whether the store's file is still the one that was opened: who moves it away, deletes it or puts a backup in its place leaves
// this process with a file that nobody else sees, and what it acknowledges would be lost.
#pragma once

#include <filesystem>
#include <string>

#include "store/file_system.hpp"

namespace stackx::serve {

class StoreFile {
 public:
  // Once it is open for writing: a layered file system makes another file of it then.
  explicit StoreFile(const std::filesystem::path& path);
  // What happened to it and what to do, in words; "": nothing. From any thread.
  std::string lost() const;

 private:
  std::filesystem::path path_;
  store::FileIdentity opened_;
};

}  // namespace stackx::serve
