#include "inspector/supervise/control_group.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <sstream>

#include "inspector/supervise/processes.hpp"

namespace stackx::supervise {
namespace {

struct Hierarchy {
  std::string mount, group;  // "/sys/fs/cgroup/memory", "/user.slice"
};

bool lists(const std::string& names, const std::string& name) {
  return ("," + names + ",").find("," + name + ",") != std::string::npos;
}

// Of version 1 with this controller, or of version 2 without one; an empty mount if there is none.
Hierarchy find_hierarchy(const std::string& controller) {
  Hierarchy found;
  std::istringstream groups(read_small("/proc/self/cgroup"));  // "4:memory:/a", "0::/b"
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const auto names = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? names.empty() : lists(names, controller)) found.group = line.substr(second + 1);
  }
  std::istringstream mounts(read_small("/proc/self/mounts"));  // "cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0"
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string source, mount, type, options;
    words >> source >> mount >> type >> options;
    if (controller.empty() ? type == "cgroup2" : type == "cgroup" && lists(options, controller)) {
      found.mount = mount;
      break;
    }
  }
  return found;
}

bool write_to(const std::string& file, const std::string& text) {
  const int fd = open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(fd);
  return written;
}

std::string parent_of(const std::string& group) { return group.substr(0, group.rfind('/')); }

// Whether groups made below it have both controllers. Not handing them on is the machine's choice.
bool hands_on(const std::string& directory) {
  std::istringstream words(read_small(directory + "/cgroup.subtree_control"));
  bool memory = false, pids = false;
  for (std::string word; words >> word;) memory |= word == "memory", pids |= word == "pids";
  return memory && pids;
}

std::string name_for_this() { return "/stackx-" + std::to_string(getpid()); }

}  // namespace

ControlGroup::ControlGroup(const GroupLimits& limits) {
  if (limits.memory == 0) return;
  const auto memory = find_hierarchy("memory"), tasks = find_hierarchy("pids");
  if (!memory.mount.empty()) {
    add(memory.mount + memory.group + name_for_this(),
        {{"memory.limit_in_bytes", limits.memory}, {"memory.memsw.limit_in_bytes", limits.memory}});
    if (!directories_.empty()) events_ = open((directories_.back() + "/memory.oom_control").c_str(), O_RDONLY | O_CLOEXEC);
    if (!tasks.mount.empty()) add(tasks.mount + tasks.group + name_for_this(), {{"pids.max", limits.tasks}});
    return;
  }
  const auto unified = find_hierarchy("");
  if (unified.mount.empty()) return;
  auto group = unified.group == "/" ? "" : unified.group;
  while (!hands_on(unified.mount + group)) {
    if (group.empty()) return;
    group = parent_of(group);
  }
  add(unified.mount + group + name_for_this(),
      {{"memory.max", limits.memory}, {"memory.swap.max", 0}, {"pids.max", limits.tasks}});
  if (!directories_.empty()) events_ = open((directories_.back() + "/memory.events").c_str(), O_RDONLY | O_CLOEXEC);
}

// The first limit must hold, else there is no use in the group; others (of swap) need not be there.
void ControlGroup::add(const std::string& directory,
                       const std::vector<std::pair<std::string, std::uint64_t>>& limits) {
  if (mkdir(directory.c_str(), 0755) != 0) return;
  const int members = open((directory + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC);
  bool holds = members >= 0;
  for (std::size_t i = 0; holds && i < limits.size(); ++i) {
    const bool written = write_to(directory + "/" + limits[i].first, std::to_string(limits[i].second));
    holds = written || i > 0;
  }
  if (!holds) {
    if (members >= 0) close(members);
    rmdir(directory.c_str());
    return;
  }
  directories_.push_back(directory);
  members_.push_back(members);
}

ControlGroup::~ControlGroup() {
  if (events_ >= 0) close(events_);
  for (const int fd : members_) close(fd);
  for (const auto& directory : directories_)
    for (int i = 0; rmdir(directory.c_str()) != 0 && i < 200; ++i) usleep(1000);  // what ended leaves it a little later
}

void ControlGroup::join() const {
  for (const int fd : members_) (void)!write(fd, "0", 1);
}

bool is_counted_to(std::uint64_t bytes) {
  const auto unified = find_hierarchy("");
  if (unified.mount.empty() || unified.group.empty()) return false;
  return read_small(unified.mount + unified.group + "/memory.max") == std::to_string(bytes) + "\n";
}

std::uint64_t oom_kills(int events) {
  char text[512];
  const ssize_t got = pread(events, text, sizeof text - 1, 0);
  if (got <= 0) return 0;
  text[got] = '\0';
  for (const char* line = text; line != nullptr; line = std::strchr(line, '\n')) {
    if (*line == '\n') ++line;
    constexpr char key[] = "oom_kill ";
    if (std::strncmp(line, key, sizeof key - 1) == 0) return std::strtoull(line + sizeof key - 1, nullptr, 10);
  }
  return 0;
}

}  // namespace stackx::supervise
