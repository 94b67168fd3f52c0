#include "kernels/memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace stackx::kernels {
namespace {

// The number in a file, or behind a word in one; nothing for "max".
std::optional<double> number_in(const std::string& file, const std::string& key = "") {
  std::ifstream in(file);
  for (std::string word; key != "" && word != key;)
    if (!(in >> word)) return std::nullopt;
  double value = 0;
  return in >> value ? std::optional(value) : std::nullopt;
}

struct Hierarchy {  // of control groups
  const char* controller;  // in /proc/self/cgroup; "": version 2
  const char *limit, *used, *droppable;
};
constexpr Hierarchy kHierarchies[] = {{"", "memory.max", "memory.current", "inactive_file"},
                                      {"memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}};

bool lists(const std::string& names, const std::string& name) { return ("," + names + ",").contains("," + name + ","); }

// Where the hierarchy is mounted, and what of it: "36 35 98:0 /root /point options - type source options".
struct Mount {
  std::string point, part;
};
std::optional<Mount> mount_of(const std::string& root, const std::string& controller) {
  std::ifstream mounts(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    const auto separator = line.find(" - ");
    if (separator == std::string::npos) continue;
    std::istringstream before(line), after(line.substr(separator + 3));
    std::string skipped, part, point, type, source, options;
    before >> skipped >> skipped >> skipped >> part >> point;
    after >> type >> source >> options;
    if (controller.empty() ? type == "cgroup2" : type == "cgroup" && lists(options, controller))
      return Mount{point, part == "/" ? "" : part};
  }
  return std::nullopt;
}

// This process's: "0::/a/b", "4:memory:/a/b".
std::string group_of(const std::string& root, const std::string& controller) {
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string names = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? names.empty() : lists(names, controller)) return line.substr(second + 1);
  }
  return "";
}

// Of the group and all above it, as far as they are mounted: the least.
std::optional<double> left_by(const Hierarchy& hierarchy, const std::string& root) {
  const auto mount = mount_of(root, hierarchy.controller);
  if (!mount) return std::nullopt;
  std::string group = group_of(root, hierarchy.controller);
  // A name of another namespace does not lie below what is mounted: its mount point is the best that can be seen.
  group = group.starts_with(mount->part + "/") ? group.substr(mount->part.size()) : "";
  std::optional<double> least;
  for (;;) {
    while (group.ends_with('/')) group.pop_back();
    const std::string directory = root + mount->point + group + "/";
    const auto limit = number_in(directory + hierarchy.limit), used = number_in(directory + hierarchy.used);
    if (limit && used) {
      const double kept = std::max(*used - number_in(directory + "memory.stat", hierarchy.droppable).value_or(0), 0.0);
      least = std::min(std::max(*limit - kept, 0.0), least.value_or(*limit));
    }
    if (group.empty()) return least;
    group.erase(group.rfind('/'));
  }
}

std::optional<double> left_by_address_space(const std::string& root) {
  rlimit limit{};
  const auto pages = number_in(root + "/proc/self/statm");
  if (!pages || getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return std::max(static_cast<double>(limit.rlim_cur) - *pages * static_cast<double>(sysconf(_SC_PAGESIZE)), 0.0);
}

std::string sizes(const Need& need, const Parameters& parameters) {
  std::string text;
  for (const std::string& key : need.keys) text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, parameters.text(key));
  return text;
}

// "m, n, k or dtype"
std::string one_of(const std::vector<std::string>& keys) {
  std::string text;
  for (std::size_t i = 0; i < keys.size(); ++i)
    text += (i == 0 ? "" : i + 1 == keys.size() ? " or " : ", ") + keys[i];
  return text;
}

}  // namespace

std::string amount(double bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  for (bytes /= 1024; bytes >= 1024 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1024;
  return fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

std::optional<Free> free_host_memory(double processes, const std::string& root) {
  std::optional<Free> least;
  const auto add = [&](std::optional<double> bytes, const char* by) {
    if (bytes && (!least || *bytes < least->bytes)) least = {*bytes, by};
  };
  if (const auto kib = number_in(root + "/proc/meminfo", "MemAvailable:")) add(*kib * 1024, "available by /proc/meminfo");
  for (const Hierarchy& hierarchy : kHierarchies) add(left_by(hierarchy, root), "left by the control group's limit");
  if (const auto each = left_by_address_space(root)) add(*each * processes, "left by the limit of address space of each process");
  return least;
}

std::optional<Unsupported> too_large(const Need& need, const Parameters& parameters, const std::optional<Free>& host,
                                     const std::optional<double>& device) {
  const bool fits_host = !host || need.host() <= host->bytes, fits_device = !device || need.device <= *device;
  if (fits_host && fits_device) return std::nullopt;
  std::string text = fmt::format("{} takes {} of host memory", sizes(need, parameters), amount(need.host()));
  if (need.check > 0) text += fmt::format(" ({} for arrays, {} for the check)", amount(need.arrays * need.processes),
                                       amount(need.check * need.processes));
  if (need.processes > 1) text += fmt::format(" in {} processes", need.processes);
  if (need.device > 0) text += fmt::format(" and {} of the GPU's", amount(need.device));
  text += "; there are";
  if (host) text += fmt::format(" {} of the host's ({})", amount(host->bytes), host->by);
  if (device) text += fmt::format("{} {} of the GPU's", host ? " and" : "", amount(*device));
  return text + fmt::format(": give a smaller {}", one_of(need.keys));
}

Unsupported ran_short(const OutOfMemory& error, const Need& need, const std::optional<double>& device) {
  std::string text = fmt::format("{}: the GPU's memory ran short", error.what());
  if (need.device > 0) text += fmt::format("; our arrays take {} of it, the library wants more", amount(need.device));
  if (device) text += fmt::format("; {} are free", amount(*device));
  const std::string smaller = need.keys.empty() ? "" : fmt::format("give a smaller {}, or ", one_of(need.keys));
  return text + fmt::format(": {}end what else holds it (nvidia-smi)", smaller);
}

}  // namespace stackx::kernels
