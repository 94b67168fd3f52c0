// A tree of files: a directory, or texts in memory.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stackx::importers {

class Tree {
 public:
  virtual ~Tree() = default;
  virtual std::string name() const = 0;
  // Relative paths with '/', sorted. Neither links nor what stands in directories named ".git".
  virtual const std::vector<std::string>& files() const = 0;
  // Throws Error (bad_input) for a file that is not there or is larger than 64 MiB.
  virtual std::string read(const std::string& file) const = 0;

  bool has(std::string_view file) const;
  std::string place(std::string_view file) const;  // for messages: "NAME/FILE"
};

// At most 1,000,000 files.
class DirectoryTree : public Tree {
 public:
  explicit DirectoryTree(std::filesystem::path root);
  std::string name() const override { return root_.string(); }
  const std::vector<std::string>& files() const override { return files_; }
  std::string read(const std::string& file) const override;

 private:
  std::filesystem::path root_;
  std::vector<std::string> files_;
};

class MemoryTree : public Tree {
 public:
  MemoryTree(std::string name, std::map<std::string, std::string> texts);
  std::string name() const override { return name_; }
  const std::vector<std::string>& files() const override { return files_; }
  std::string read(const std::string& file) const override;

 private:
  std::string name_;
  std::map<std::string, std::string> texts_;
  std::vector<std::string> files_;
};

// "a/b/c" -> "a", "b", "c".
std::vector<std::string> path_parts(std::string_view path);

}  // namespace stackx::importers
