// A control group for one run: memory and tasks, counted by the kernel, so that nothing goes round the limits (memory
// that no process maps, threads without end).
//
// Where the groups of version 1 are mounted, one directory in the hierarchy of `memory` and one in that of `pids`;
// else one of version 2, below the nearest group of ours that may be written to and hands both controllers on. Most
// machines let only root do so: others get theirs from systemd (confinement/sandbox.hpp), or none, and the supervisor's own
// counting is what there is. Rejected: libcgroup, which wants a daemon's configuration for four files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stackx::supervise {

struct GroupLimits {
  std::uint64_t memory = 0;  // bytes
  std::uint64_t tasks = 0;   // processes and threads
};

class ControlGroup {
 public:
  explicit ControlGroup(const GroupLimits& limits);
  ~ControlGroup();  // everything in it must have ended
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;

  void join() const;  // this process; async-signal-safe
  // What counts kills for want of memory, open for reading; -1 where memory is not limited. See oom_kills().
  int events() const { return events_; }

 private:
  void add(const std::string& directory, const std::vector<std::pair<std::string, std::uint64_t>>& limits);

  std::vector<std::string> directories_;
  std::vector<int> members_;  // cgroup.procs, open for writing
  int events_ = -1;
};

// Whether this process is in a group (of version 2) whose memory is limited to so many bytes.
bool is_counted_to(std::uint64_t bytes);

// Kills that an open memory.events (version 2) or memory.oom_control (version 1) tells of; 0 if it cannot be read.
std::uint64_t oom_kills(int events);

}  // namespace stackx::supervise
