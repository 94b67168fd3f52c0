// The most memory that this process has held so far, as the kernel counts it (VmHWM of /proc/self/status).
//
// Not getrusage: its figure survives exec, so that a program started by a large one has the large one's.
#pragma once

#include <cstdint>

namespace stackx::kernels {

std::uint64_t peak_memory_bytes();  // 0: /proc is not there

}  // namespace stackx::kernels
