// The files that a run may write: whose they are, and how much they hold.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace stackx::supervise {

// Gives everything in these trees to another user: to the PI's before it starts, back to ours once it is gone.
// Symbolic links are given away themselves, never followed; what leads to another file system is left.
void give(const std::vector<const char*>& trees, uid_t user);

// Bytes on the disk, in these trees together; the most there is if some of it cannot be seen (directories closed to us,
// or nested deeper than paths reach): who measures or builds has no reason for either.
std::uint64_t disk_used(const std::vector<const char*>& trees);

// Bytes in files without a name that these processes hold open: they are in no tree any more. Those in memory count, too,
// whose limits are no higher. The most there is if a process hides what it holds. What is mapped alone, or on its way
// from one process to another, nobody shows: disk_left is what it changes.
std::uint64_t disk_unnamed(const std::vector<pid_t>& pids);

// Bytes left on the disk where any of these trees lies; the most there is if nobody tells.
std::uint64_t disk_left(const std::vector<const char*>& trees);

// Where file systems in memory are mounted that may be written to: /tmp, /dev/shm, and whatever an engine adds. For a
// mount namespace of the run's own: elsewhere they are the machine's. What is shown of the machine's there (a part of
// such a file system, or one of `trees`) is left out.
std::vector<std::string> scratch_places(const std::vector<const char*>& trees);

// Bytes in these: memory that no process shows. What the kernel keeps for each of their files counts, too: empty ones
// are memory as well.
std::uint64_t scratch_used(const std::vector<std::string>& places);

}  // namespace stackx::supervise
