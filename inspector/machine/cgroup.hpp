// What the control groups of this process allow it: CPU time and memory, under cgroup v1, v2 and
// hybrids of them.
//
// A limit may stand on any ancestor, so the smallest on the way up counts. The group is found as
// the kernel tells it
// (/proc/self/cgroup) and mapped onto what is mounted (/proc/self/mountinfo), because a container
// sees a part of the hierarchy under another name. CPU sets are not read here: they are part of the
// affinity that the topology honours.
#pragma once

#include <cstdint>
#include <optional>

#include "inspector/machine/tree.hpp"

namespace stackx::inspector {

struct Limits {
  std::optional<double> cpus;  // CPUs' worth of time: quota / period
  std::optional<std::uint64_t> memory_bytes;
};

Limits read_limits(const Tree& tree);

// How often the CPU time ran out (cpu.stat), of the group or ancestor that ran out most often.
struct Throttling {
  std::uint64_t periods = 0, throttled = 0;  // since the group was made
};
std::optional<Throttling> read_throttling(const Tree& tree);

}  // namespace stackx::inspector
