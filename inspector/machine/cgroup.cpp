#include "inspector/machine/cgroup.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace stackx::inspector {
namespace {

// cgroup v1's "no limit" is LONG_MAX rounded down to a page; no machine has that much memory.
constexpr std::uint64_t unlimited_memory = std::uint64_t{1} << 60;

bool lists(const std::string& comma_separated, const std::string& word) {
  const auto parts = words(comma_separated, ",");
  return std::ranges::find(parts, word) != parts.end();
}

// "\040" and its like, as mountinfo escapes blanks.
std::string unescape(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool octal = text[i] == '\\' && i + 3 < text.size() &&
                       text.find_first_not_of("01234567", i + 1) >= i + 4;
    result += octal ? static_cast<char>(std::stoi(text.substr(i + 1, 3), nullptr, 8)) : text[i];
    if (octal) i += 3;
  }
  return result;
}

struct Mount {
  std::string root;   // the part of the hierarchy that is mounted here
  std::string point;  // where
};

// The mount of cgroup v2 (controller empty) or of a v1 controller. Fields of mountinfo, see
// proc(5):
//   36 35 98:0 /root /point options [optional fields] - type source super-options
std::optional<Mount> find_mount(const Tree& tree, const std::string& controller) {
  for (const std::string& line : words(tree.text("/proc/self/mountinfo").value_or(""), "\n")) {
    const std::size_t separator = line.find(" - ");
    if (separator == std::string::npos) continue;
    const auto mount = words(line.substr(0, separator));
    const auto filesystem = words(line.substr(separator + 3));
    if (mount.size() < 5 || filesystem.size() < 3) continue;
    const bool matches = controller.empty()
                             ? filesystem[0] == "cgroup2"
                             : filesystem[0] == "cgroup" && lists(filesystem[2], controller);
    if (matches) return Mount{unescape(mount[3]), unescape(mount[4])};
  }
  return std::nullopt;
}

// This process's group: "0::/path" for v2, "4:memory:/path" for v1.
std::optional<std::string> find_group(const Tree& tree, const std::string& controller) {
  for (const std::string& line : words(tree.text("/proc/self/cgroup").value_or(""), "\n")) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? controllers.empty() : lists(controllers, controller))
      return line.substr(second + 1);
  }
  return std::nullopt;
}

// The directories of this process's group and its ancestors, as far as they are mounted, innermost
// first.
std::vector<std::string> group_directories(const Tree& tree, const std::string& controller) {
  const auto mount = find_mount(tree, controller);
  const auto group = find_group(tree, controller);
  if (!mount || !group) return {};
  std::string below = *group;
  const std::string root = mount->root == "/" ? "" : mount->root;
  if (below == root || below.starts_with(root + "/"))
    below.erase(0, root.size());
  else
    below.clear();  // the group's name is of another namespace: the mount point is the best that
                    // can be seen
  if (below == "/" || !below.starts_with("/") || below.find("/..") != std::string::npos)
    below.clear();
  std::vector<std::string> directories;
  while (!below.empty()) {
    directories.push_back(mount->point + below);
    below.erase(below.rfind('/'));
  }
  directories.push_back(mount->point);
  return directories;
}

template <typename T>
std::optional<T> smallest(const std::vector<std::string>& directories,
                          const std::function<std::optional<T>(const std::string&)>& limit) {
  std::optional<T> result;
  for (const std::string& directory : directories)
    if (const auto value = limit(directory)) result = std::min(*value, result.value_or(*value));
  return result;
}

std::optional<double> quota_v2(const Tree& tree, const std::string& directory) {
  const auto parts =
      words(tree.line(directory + "/cpu.max").value_or(""));  // "150000 100000", "max 100000"
  if (parts.size() != 2) return std::nullopt;
  const auto quota = parse_unsigned(parts[0]), period = parse_unsigned(parts[1]);
  if (!quota || !period || *period == 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<double> quota_v1(const Tree& tree, const std::string& directory) {
  const auto quota = tree.number(directory + "/cpu.cfs_quota_us");  // -1: no limit
  const auto period = tree.number(directory + "/cpu.cfs_period_us");
  if (!quota || !period || *quota == 0 || *period == 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<std::uint64_t> memory(const Tree& tree, const std::string& file) {
  const auto limit = tree.number(file);  // "max" is no number
  if (!limit || *limit >= unlimited_memory) return std::nullopt;
  return limit;
}

std::optional<Throttling> throttling(const Tree& tree, const std::string& directory) {
  const auto text = tree.text(directory + "/cpu.stat").value_or("");
  const auto periods = parse_unsigned(value_of(text, "nr_periods", ' ').value_or(""));
  const auto throttled = parse_unsigned(value_of(text, "nr_throttled", ' ').value_or(""));
  if (!periods || !throttled) return std::nullopt;
  return Throttling{*periods, *throttled};
}

}  // namespace

Limits read_limits(const Tree& tree) {
  Limits limits;
  const auto v2 = group_directories(tree, "");
  limits.cpus = smallest<double>(v2, [&](const auto& d) { return quota_v2(tree, d); });
  limits.memory_bytes =
      smallest<std::uint64_t>(v2, [&](const auto& d) { return memory(tree, d + "/memory.max"); });
  // A hybrid mounts cgroup2 without these controllers and keeps them in v1.
  if (!limits.cpus)
    limits.cpus = smallest<double>(group_directories(tree, "cpu"),
                                   [&](const auto& d) { return quota_v1(tree, d); });
  if (!limits.memory_bytes)
    limits.memory_bytes = smallest<std::uint64_t>(
        group_directories(tree, "memory"),
        [&](const auto& d) { return memory(tree, d + "/memory.limit_in_bytes"); });
  return limits;
}

std::optional<Throttling> read_throttling(const Tree& tree) {
  std::optional<Throttling> most;
  for (const char* controller : {"", "cpu"})
    for (const std::string& directory : group_directories(tree, controller))
      if (const auto found = throttling(tree, directory))
        if (!most || found->throttled > most->throttled) most = found;
  return most;
}

}  // namespace stackx::inspector
