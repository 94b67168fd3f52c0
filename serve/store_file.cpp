#include "serve/store_file.hpp"

namespace stackx::serve {

StoreFile::StoreFile(const std::filesystem::path& path) : path_(path), opened_(store::identity_of(path)) {}

std::string StoreFile::lost() const {
  const auto now = store::identity_of(path_);
  if (now == opened_) return "";
  return now ? "the store's file is another than this server opened: start this server anew, and it answers from that one"
             : "the store's file is gone: put it back; where that is a copy, start this server anew";
}

}  // namespace stackx::serve
