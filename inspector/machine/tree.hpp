// The files of /proc, /sys, /etc and /run that detection reads, below a root that tests replace by
// a small fake tree. What cannot be read is absent, never an error: containers and kernels hide
// files at will.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stackx::inspector {

class Tree {
 public:
  explicit Tree(std::filesystem::path root = "/") : root_(std::move(root)) {}

  const std::filesystem::path& root() const { return root_; }
  bool is_this_machine() const { return root_ == "/"; }

  // Paths are absolute, as on a machine: "/proc/cpuinfo".
  std::optional<std::string> text(const std::string& path) const;  // the whole file
  std::optional<std::string> line(
      const std::string& path) const;  // its first line, trimmed; absent if empty
  std::optional<std::uint64_t> number(
      const std::string& path) const;  // a file that holds one whole number
  bool exists(const std::string& path) const;
  std::vector<std::string> entries(const std::string& directory) const;  // names, sorted

 private:
  std::filesystem::path root_;
};

std::string trim(std::string_view text);
std::vector<std::string> words(std::string_view text, std::string_view separators = " \t\n");
std::optional<std::uint64_t> parse_unsigned(std::string_view text);  // decimal, nothing else
// The value of "key<separator>value" among lines, trimmed: "MemTotal:  24684092 kB", "ID=debian".
std::optional<std::string> value_of(std::string_view text, std::string_view key, char separator);
// "0-3,8" -> 0 1 2 3 8; what is no list gives nothing.
std::vector<int> parse_cpu_list(std::string_view text);

}  // namespace stackx::inspector
