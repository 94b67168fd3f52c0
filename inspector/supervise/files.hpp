// The files that a run may write: whose they are, and how much they hold.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace stackx::supervise {

// Gives everything in these trees to another user: to the PI's before it starts, back to ours once it is gone.
// Symbolic links are given away themselves, never followed; what leads to another file system is left.
void give(const std::vector<const char*>& trees, uid_t user);

// Bytes on the disk, in these trees together; the most there is if some of it cannot be seen (directories closed to us,
// or nested deeper than paths reach): who measures or builds has no reason for either.
std::uint64_t disk_used(const std::vector<const char*>& trees);

// Bytes left on the disk where any of these trees lies; the most there is if nobody tells. What has no name any more
// (files that were removed and are still open) is in no tree, but here.
std::uint64_t disk_left(const std::vector<const char*>& trees);

// Bytes in the file systems at /tmp, /dev and /dev/shm, where they are the run's own: memory that no process shows. What
// the kernel keeps for each of their files counts, too: empty ones are memory as well.
std::uint64_t scratch_used();

}  // namespace stackx::supervise
