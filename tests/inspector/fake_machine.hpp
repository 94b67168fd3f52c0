// A directory that looks like the root of a machine: /proc, /sys and /etc with what detection
// reads.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "inspector/machine/tree.hpp"

namespace stackx::inspector::testing {

// Caches as sysfs describes them: how many threads share one instance follows from the machine's
// shape.
struct FakeCache {
  int level;
  std::string type, size;  // "Data", "32K"
  int shared_by_cores;     // 1: each core has its own
};

// Threads are numbered as Linux does on x86: first one thread of every core, then the second ones.
struct Shape {
  int packages = 1, nodes_per_package = 1, cores_per_package = 1, threads_per_core = 1;
  std::vector<FakeCache> caches;
  int cores() const { return packages * cores_per_package; }
  int threads() const { return cores() * threads_per_core; }
};

class FakeMachine {
 public:
  FakeMachine();
  ~FakeMachine();
  FakeMachine(const FakeMachine&) = delete;
  FakeMachine& operator=(const FakeMachine&) = delete;

  Tree tree() const { return Tree(root_); }
  const std::filesystem::path& root() const { return root_; }
  void file(const std::string& path, const std::string& content);
  void topology(const Shape& shape);  // below /sys/devices/system
  void cpufreq(const Shape& shape, const std::string& governor, int max_khz);
  void allow(const std::string& cpu_list);  // the affinity mask of /proc/self/status

 private:
  std::filesystem::path root_, last_directory_;
};

// The same text for every thread, as /proc/cpuinfo repeats it, with "processor : N" before each.
std::string repeat_cpuinfo(const std::string& block, int threads);

// Texts as the kernels of these machines print them, shortened where nothing reads them.
extern const char* const zen3_cpuinfo;  // AMD EPYC 72F3, bare metal
extern const char* const
    emerald_vm_cpuinfo;  // a virtual machine that calls itself "Intel(R) Xeon(R) Processor"
extern const char* const cascade_cpuinfo;   // Xeon Platinum 8260L
extern const char* const neoverse_cpuinfo;  // Graviton2: no model name

// Whole machines.
Shape zen3_server(FakeMachine& machine);  // two sockets, governor performance, boost on
Shape intel_vm(FakeMachine& machine);     // KVM, no cpufreq
Shape neoverse(FakeMachine& machine);     // ARM
Shape container(FakeMachine& machine);    // the server under cgroup v2: 1.5 CPUs, 2 GiB, CPUs 2-3

}  // namespace stackx::inspector::testing
