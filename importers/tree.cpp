#include "importers/tree.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"

namespace stackx::importers {

namespace fs = std::filesystem;

bool Tree::has(std::string_view file) const {
  return std::ranges::binary_search(files(), file, std::less<>());
}

std::string Tree::place(std::string_view file) const {
  return specs::to_utf8(fmt::format("{}{}{}", name(), name().ends_with('/') ? "" : "/", file));
}

DirectoryTree::DirectoryTree(fs::path root) : root_(std::move(root)) {
  constexpr std::size_t most = 1'000'000;
  std::error_code error;
  auto at = fs::recursive_directory_iterator(root_, fs::directory_options::none, error);
  if (error)
    throw broken_environment(fmt::format("{}: cannot be listed ({}); check that it is a directory",
                                         root_.string(), error.message()));
  for (; at != fs::recursive_directory_iterator(); at.increment(error)) {
    const auto status = at->symlink_status(error);
    if (fs::is_directory(status) && at->path().filename() == ".git") at.disable_recursion_pending();
    if (fs::is_regular_file(status))
      files_.push_back(at->path().lexically_relative(root_).generic_string());
    if (files_.size() > most)
      throw bad_input(fmt::format("{}: more than {} files; name the directory of the results",
                                  root_.string(), most));
  }
  if (error)
    throw broken_environment(
        fmt::format("{}: a directory in it cannot be listed ({}); check its "
                    "permissions",
                    root_.string(), error.message()));
  std::ranges::sort(files_);
}

std::string DirectoryTree::read(const std::string& file) const {
  return specs::read_text_file(root_ / file, "a text file of at most 64 MiB");
}

MemoryTree::MemoryTree(std::string name, std::map<std::string, std::string> texts)
    : name_(std::move(name)), texts_(std::move(texts)) {
  for (const auto& [file, text] : texts_) files_.push_back(file);
}

std::string MemoryTree::read(const std::string& file) const {
  const auto found = texts_.find(file);
  if (found == texts_.end()) throw bad_input(place(file) + ": no such file; check the path");
  return found->second;
}

std::vector<std::string> path_parts(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const auto end = std::min(path.find('/'), path.size());
    if (end > 0) parts.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(path.size(), end + 1));
  }
  return parts;
}

}  // namespace stackx::importers
