// The processes under the supervisor: all others of its PID namespace, or all descendants of a
// subreaper.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace stackx::supervise {

// Everything but ourselves that still runs (no zombies, but for those of which a thread goes on).
std::vector<pid_t> others();

// Its threads by their numbers, the first among them; none once it has ended.
std::vector<pid_t> threads_of(pid_t pid);

// How many others there are at most, zombies too; outside a PID namespace our own children (the PI and orphans). One
// directory or file to read, where `others` reads some for each. 0 where the kernel does not list children.
std::size_t listed();

// Processes and threads of the whole machine, or of what /proc shows of it; 0 if it does not tell.
std::uint64_t tasks_of_machine();

// Their threads together: what a control group would count.
std::uint64_t tasks_of(const std::vector<pid_t>& pids);

struct Memory {
  // Their pages, swapped ones too, the tables that find them, and `scratch` bytes in file systems of the run's own. Resident sizes
  // first, which is cheap and counts shared pages once per process; only where that sum passes `limit` the proportional
  // sizes, which are exact and slow, with what is mapped from the scratch counted once.
  std::uint64_t counted = 0;
  // For people, of several: files and shared memory that they map counted once, of the process that maps most of them. 0 of one
  // process. Rejected: proportional sizes always. A process with large tables makes reading them take so long that it passes
  // its limit meanwhile.
  std::uint64_t together = 0;
};
Memory memory_of(const std::vector<pid_t>& pids, std::uint64_t scratch, std::uint64_t limit);

// Sends SIGKILL to all of them, whatever session or group they moved to. Outside a PID namespace
// one call may miss a process that is just being forked: call again until others() is empty.
void kill_all();

// What a small file holds, of /proc and /sys above all; "" if it cannot be read.
std::string read_small(const std::string& path);

}  // namespace stackx::supervise
