// Packages, cores, threads, NUMA nodes and caches that this process may use, through hwloc; and which NUMA node
// a PCI device belongs to, whether this process may use that node or not.
//
// hwloc leaves out what the control group's CPU set disallows; the affinity mask (taskset, Slurm)
// is applied on top, as /proc/thread-self/status tells it (/proc/self/status where there is none).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inspector/machine/tree.hpp"
#include "specs/hardware/hardware.hpp"

namespace stackx::inspector {

struct Topology {
  int packages = 0, cores = 0, threads = 0, numa_nodes = 0;
  std::vector<specs::Cache> caches;  // by level, data before instruction
  std::vector<int> cpus;             // numbers of the threads, as the kernel counts them
  std::map<std::string, int>
      device_nodes;  // NUMA nodes of PCI devices ("0000:17:00.0") that hwloc sees, where asked for
};

// Whether PCI devices are looked at. Of each its configuration is read, which takes milliseconds in a virtual machine,
// and only GPUs are ever looked up.
enum class PciDevices { left_out, placed };

// With a tree that is not this machine, hwloc reads that tree's /sys; it takes the place from the
// environment
// ($HWLOC_FSROOT) only, which is set meanwhile: such a call must not run beside other threads.
// Throws Error(environment) if hwloc cannot start at all.
Topology read_topology(const Tree& tree, PciDevices devices);

// The NUMA node of a PCI device, called as sysfs or NVML call it ("00000000:17:00.0"): hwloc's, which knows of
// firmware that is wrong, or the kernel's where hwloc sees no devices. Nothing where neither knows.
std::optional<int> numa_node_of(const std::string& pci, const Topology& topology, const Tree& tree);

}  // namespace stackx::inspector
