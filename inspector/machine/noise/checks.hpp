// The checks of noise.hpp, one function each: what the system shows -> a finding. Those that only
// some machines have (battery, thermal counters) give nothing elsewhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inspector/machine/noise/activity.hpp"
#include "inspector/machine/noise/noise.hpp"
#include "inspector/machine/tree.hpp"

namespace stackx::inspector {

struct Scene {  // all that checks may look at
  Tree tree;
  std::vector<int> cpus;       // for the inspections
  std::vector<int> allowed;    // that this process may use; empty: not shown
  std::size_t processors = 0;  // online, of the whole machine
  std::string virtualization;  // as read_virtualization() names it
  bool contained = false;      // settings belong to the host
  Look now;
  Activity activity;
};

// "0-3,8"; "as root: COMMAND", or with where to run it from inside a container.
std::string cpu_list(const std::vector<int>& cpus);
std::string as_root(const Scene& scene, const std::string& command);

// settings_checks.cpp: how the machine is set up
Finding check_governor(const Scene& scene);
Finding check_turbo(const Scene& scene);
Finding check_siblings(const Scene& scene);
Finding check_virtualization(const Scene& scene);
Finding check_numa_balancing(const Scene& scene);
Finding check_huge_pages(const Scene& scene);
Finding check_cpu_set(const Scene& scene);
Finding check_quota(const Scene& scene);
std::optional<Finding> check_battery(const Scene& scene);

// activity_checks.cpp: what happens on it now
Finding check_load(const Scene& scene);
Finding check_others(const Scene& scene);
Finding check_steal(const Scene& scene);
Finding check_memory(const Scene& scene);
Finding check_swap(const Scene& scene);
std::optional<Finding> check_heat(const Scene& scene);

}  // namespace stackx::inspector
