#include "serve/store_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

namespace stackx::serve {

StoreFile::StoreFile(const std::filesystem::path& path) : path_(path), opened_(identity_of(path)) {}

StoreFile::Identity StoreFile::identity_of(const std::filesystem::path& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

std::string StoreFile::lost() const {
  const auto now = identity_of(path_);
  if (now == opened_) return "";
  return now == Identity{} ? "the store's file is gone: put it back; where that is a copy, start this server anew"
                           : "the store's file is another than this server opened: start this server anew, and it answers from that one";
}

}  // namespace stackx::serve
