// Packages, cores, threads, NUMA nodes and caches that this process may use, through hwloc.
//
// hwloc leaves out what the control group's CPU set disallows; the affinity mask (taskset, Slurm)
// is applied on top, as /proc/thread-self/status tells it (/proc/self/status where there is none).
#pragma once

#include <vector>

#include "inspector/machine/tree.hpp"
#include "specs/hardware/hardware.hpp"

namespace stackx::inspector {

struct Topology {
  int packages = 0, cores = 0, threads = 0, numa_nodes = 0;
  std::vector<specs::Cache> caches;  // by level, data before instruction
  std::vector<int> cpus;             // numbers of the threads, as the kernel counts them
};

// With a tree that is not this machine, hwloc reads that tree's /sys; it takes the place from the
// environment
// ($HWLOC_FSROOT) only, which is set meanwhile: such a call must not run beside other threads.
// Throws Error(environment) if hwloc cannot start at all.
Topology read_topology(const Tree& tree);

}  // namespace stackx::inspector
