// A tree that foreign code wrote: the build of a source archive, an interpreter that a catalog named.
//
// Whatever lies there may be a trap for who reads it, outside of the sandbox and with our rights: a symbolic link to a
// file of the user's, a FIFO that never ends, a file that has a second name elsewhere, directories without end. So
// regular files with one name and real directories are taken, nothing else; every one of them is opened without
// following links, from a descriptor of the directory that holds it; and what is used is a copy, where foreign code
// cannot write. Rejected: renaming such a tree to where it is used (its root may be a link to any directory).
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace stackx::inspector {

class UntrustedTree {
 public:
  // Or what it holds that it must not: its files may have `most_bytes` together, as they claim (holes count, too).
  static std::expected<UntrustedTree, std::string> read(const std::filesystem::path& root, std::uint64_t most_bytes);

  const std::vector<std::string>& files() const { return files_; }  // relative, sorted

  // Copies one of them to a name that is not there yet. The reason if it has become something else meanwhile; throws
  // filesystem_error if the copy cannot be written.
  std::expected<void, std::string> copy(const std::string& file, const std::filesystem::path& to) const;

 private:
  UntrustedTree(std::filesystem::path root, std::uint64_t most_bytes)
      : root_(std::move(root)), most_bytes_(most_bytes) {}

  std::filesystem::path root_;
  std::uint64_t most_bytes_;
  std::vector<std::string> files_;
};

constexpr int most_untrusted_depth = 64;  // directories in each other

// Whether an error of the file system comes from the shape of a tree (a file where another needs a directory, names
// longer than paths may be) and not from the disk or from rights: then it is the tree's own fault.
bool is_of_its_shape(const std::error_code& error);

// Removes what is there, however deep it is and whoever took from its directories the rights to be read and written;
// follows no link. Nothing there: no error. The first thing that cannot be removed ends it.
void remove_tree(const std::filesystem::path& path, std::error_code& error);
void remove_tree(const std::filesystem::path& path);  // throws filesystem_error

}  // namespace stackx::inspector
