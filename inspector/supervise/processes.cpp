#include "inspector/supervise/processes.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace stackx::supervise {
namespace {

std::vector<pid_t> numbers_in(const char* directory) {
  std::vector<pid_t> result;
  DIR* handle = opendir(directory);
  if (handle == nullptr) return result;
  while (const dirent* entry = readdir(handle)) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0]))) {
      result.push_back(std::atoi(entry->d_name));
    }
  }
  closedir(handle);
  return result;
}

struct Stat {
  char state = 'X';
  pid_t parent = 0;
  long threads = 0;
};

Stat stat_of(pid_t pid) {
  Stat result;
  const auto text = read_small("/proc/" + std::to_string(pid) + "/stat");
  const auto name_end = text.rfind(')');  // the name may hold spaces and parentheses
  if (name_end != std::string::npos && name_end + 2 < text.size()) {
    // state, parent, then thirteen fields that are passed over, priority, nice, threads: proc(5)
    std::sscanf(text.c_str() + name_end + 2,
                "%c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld", &result.state,
                &result.parent, &result.threads);
  }
  return result;
}

// Where the first thread of a process has ended and others go on, /proc shows it as a zombie, too.
bool runs(pid_t pid) {
  const auto stat = stat_of(pid);
  return stat.state != 'X' && (stat.state != 'Z' || stat.threads > 1);
}

// /proc/PID/task/TID/children: cheap, but a kernel option.
bool children_of(pid_t pid, std::vector<pid_t>& result) {
  const auto tasks = "/proc/" + std::to_string(pid) + "/task";
  for (const pid_t tid : numbers_in(tasks.c_str())) {
    const auto file = tasks + "/" + std::to_string(tid) + "/children";
    const auto text = read_small(file);
    if (text.empty() && access(file.c_str(), R_OK) != 0 && access(tasks.c_str(), F_OK) == 0) {
      if (tid == pid) return false;
    }
    const char* at = text.c_str();
    for (char* end = nullptr;; at = end) {
      const long child = std::strtol(at, &end, 10);
      if (end == at) break;
      result.push_back(static_cast<pid_t>(child));
    }
  }
  return true;
}

std::vector<pid_t> descendants_by_scan() {
  const pid_t self = getpid();
  std::vector<std::pair<pid_t, pid_t>> parents;  // (parent, child)
  for (const pid_t pid : numbers_in("/proc")) parents.emplace_back(stat_of(pid).parent, pid);
  std::vector<pid_t> result;
  std::vector<pid_t> open{self};
  while (!open.empty()) {
    const pid_t parent = open.back();
    open.pop_back();
    for (const auto& [its_parent, child] : parents) {
      if (its_parent == parent && child != self) {
        result.push_back(child);
        open.push_back(child);
      }
    }
  }
  std::erase_if(result, [](pid_t pid) { return !runs(pid); });
  return result;
}

// Of zombies, which may be thousands, no more than that is looked at: they have no children.
std::vector<pid_t> descendants() {
  std::vector<pid_t> result, found;
  if (!children_of(getpid(), found)) return descendants_by_scan();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const pid_t pid = found[i];
    if (!runs(pid)) continue;
    result.push_back(pid);
    children_of(pid, found);
  }
  return result;
}

// "VmPTE:\t 36 kB" of a file of /proc, in bytes; 0 if there is no such line.
std::uint64_t kilobytes(const std::string& text, std::string_view key) {
  const auto at = text.find(key);
  return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at + key.size(), nullptr, 10) * 1024;
}

// The file of a process that tells of its memory, known by this line: another thread's, if the first has ended.
std::string memory_file(pid_t pid, const char* file, std::string_view line) {
  const auto process = "/proc/" + std::to_string(pid);
  auto text = read_small(process + file);
  if (text.find(line) != std::string::npos) return text;
  const auto tasks = process + "/task";
  for (const pid_t tid : numbers_in(tasks.c_str())) {
    text = read_small(tasks + "/" + std::to_string(tid) + file);
    if (text.find(line) != std::string::npos) return text;
  }
  return "";
}

// What a process holds beside its pages: the tables that find them, and huge pages, which are not among them.
std::uint64_t beside(const std::string& status) {
  return kilobytes(status, "\nVmPTE:") + kilobytes(status, "\nHugetlbPages:");
}

std::string status_of(pid_t pid) { return memory_file(pid, "/status", "\nVmRSS:"); }

struct Resident {
  std::uint64_t all = 0, mapped = 0;  // files and shared memory
};

Resident resident(pid_t pid) {
  const auto status = status_of(pid);
  const auto all = kilobytes(status, "\nVmRSS:") + kilobytes(status, "\nVmSwap:") + beside(status);
  return {all, std::min(all, kilobytes(status, "\nRssFile:") + kilobytes(status, "\nRssShmem:"))};
}

struct Proportional {
  std::uint64_t all = 0, shared_memory = 0;
};

Proportional proportional(pid_t pid) {
  const auto text = memory_file(pid, "/smaps_rollup", "\nPss:");
  if (text.empty()) return {resident(pid).all, 0};
  return {kilobytes(text, "\nPss:") + kilobytes(text, "\nSwapPss:") + beside(status_of(pid)),
          kilobytes(text, "\nPss_Shmem:")};
}

}  // namespace

std::string read_small(const std::string& path) {
  std::string text;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  char buffer[4096];
  for (ssize_t got; (got = read(fd, buffer, sizeof buffer)) > 0;) text.append(buffer, got);
  close(fd);
  return text;
}

std::vector<pid_t> others() {
  if (getpid() != 1) return descendants();
  auto result = numbers_in("/proc");
  std::erase_if(result, [](pid_t pid) { return pid == 1 || !runs(pid); });
  return result;
}

std::vector<pid_t> threads_of(pid_t pid) {
  const auto tasks = "/proc/" + std::to_string(pid) + "/task";
  return numbers_in(tasks.c_str());
}

std::size_t listed() {
  if (getpid() == 1) return numbers_in("/proc").size() - 1;
  const auto self = std::to_string(getpid());
  const auto children = read_small("/proc/" + self + "/task/" + self + "/children");  // "12 13 ": a space after each
  return static_cast<std::size_t>(std::ranges::count(children, ' '));
}

// "0.20 0.18 0.12 1/80 11206": of 80 tasks one runs.
std::uint64_t tasks_of_machine() {
  const auto text = read_small("/proc/loadavg");
  const auto slash = text.find('/');
  return slash == std::string::npos ? 0 : std::strtoull(text.c_str() + slash + 1, nullptr, 10);
}

std::uint64_t tasks_of(const std::vector<pid_t>& pids) {
  std::uint64_t sum = 0;
  for (const pid_t pid : pids) sum += static_cast<std::uint64_t>(std::max(1L, stat_of(pid).threads));
  return sum;
}

Memory memory_of(const std::vector<pid_t>& pids, std::uint64_t scratch, std::uint64_t limit) {
  std::uint64_t sum = scratch, unmapped = 0, mapped_by_one = 0;
  for (const pid_t pid : pids) {
    const auto held = resident(pid);
    sum += held.all;
    unmapped += held.all - held.mapped;
    mapped_by_one = std::max(mapped_by_one, held.mapped);
  }
  const auto together = pids.size() < 2 ? 0 : unmapped + mapped_by_one;
  if (sum <= limit || (pids.size() < 2 && scratch == 0)) return {sum, together};
  std::uint64_t own = 0, shared = 0;
  for (const pid_t pid : pids) {
    const auto part = proportional(pid);
    own += part.all - std::min(part.all, part.shared_memory);
    shared += part.shared_memory;
  }
  return {own + std::max(shared, scratch), together};
}

void kill_all() {
  if (getpid() == 1) {
    kill(-1, SIGKILL);  // all of the namespace but ourselves, in one step
    return;
  }
  // At once, as they may breed faster than they are looked at. They are not reaped, so their numbers are their own.
  std::vector<pid_t> children;
  children_of(getpid(), children);
  for (const pid_t pid : children) kill(pid, SIGKILL);
  for (const pid_t pid : others()) kill(pid, SIGKILL);
}

}  // namespace stackx::supervise
