#include "inspector/machine/topology.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <tuple>

#include "specs/error.hpp"

namespace stackx::inspector {
namespace {

constexpr const char* root_variable = "HWLOC_FSROOT";

class ScopedRoot {
 public:
  explicit ScopedRoot(const Tree& tree) : active_(!tree.is_this_machine()) {
    if (active_) setenv(root_variable, tree.root().c_str(), 1);
  }
  ~ScopedRoot() {
    if (active_) unsetenv(root_variable);
  }
  ScopedRoot(const ScopedRoot&) = delete;
  ScopedRoot& operator=(const ScopedRoot&) = delete;

 private:
  bool active_;
};

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Handle = std::unique_ptr<hwloc_topology, Destroy>;

struct Free {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, Free>;

Handle load(const Tree& tree, PciDevices devices) {
  const ScopedRoot root(tree);
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0)
    throw broken_environment(fmt::format("hwloc: hwloc_topology_init: {}", std::strerror(errno)));
  Handle topology(raw);
  hwloc_topology_set_icache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  // GPUs, by their place only: looking at what the system calls them would start CUDA and OpenCL.
  if (devices == PciDevices::placed)
    hwloc_topology_set_type_filter(raw, HWLOC_OBJ_PCI_DEVICE, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  if (!tree.is_this_machine())  // CPUID would mix this machine's caches into that tree's
    hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  if (hwloc_topology_load(raw) != 0)
    throw broken_environment(fmt::format("hwloc: hwloc_topology_load: {}; `lstopo` may tell more",
                                         std::strerror(errno)));
  return topology;
}

// The mask of the calling thread. /proc/self is of the first thread: if that one looks at the machine
// at the same time, hwloc binds it to one CPU after the other to ask each for its CPUID.
void restrict_to_affinity(hwloc_topology_t topology, const Tree& tree) {
  const auto mine = tree.text("/proc/thread-self/status");
  const auto status = mine ? *mine : tree.text("/proc/self/status").value_or("");
  const auto allowed = parse_cpu_list(value_of(status, "Cpus_allowed_list", ':').value_or(""));
  if (allowed.empty()) return;
  const Bitmap set(hwloc_bitmap_alloc());
  for (const int cpu : allowed) hwloc_bitmap_set(set.get(), static_cast<unsigned>(cpu));
  hwloc_bitmap_and(set.get(), set.get(), hwloc_topology_get_topology_cpuset(topology));
  if (hwloc_bitmap_iszero(set.get()))
    return;  // the mask is of another machine: better everything than nothing
  hwloc_topology_restrict(topology, set.get(), HWLOC_RESTRICT_FLAG_REMOVE_CPULESS);
}

int count(hwloc_topology_t topology, hwloc_obj_type_t type) {
  return std::max(0, hwloc_get_nbobjs_by_type(topology, type));
}

const char* cache_type(hwloc_obj_cache_type_t type) {
  switch (type) {
    case HWLOC_OBJ_CACHE_DATA:
      return "data";
    case HWLOC_OBJ_CACHE_INSTRUCTION:
      return "instruction";
    case HWLOC_OBJ_CACHE_UNIFIED:
      break;
  }
  return "unified";
}

// Caches of one level may differ in size (hybrid processors): each size is an entry of its own.
std::vector<specs::Cache> caches(hwloc_topology_t topology) {
  std::map<std::tuple<int, std::string, std::uint64_t>, int> instances;
  for (int type = HWLOC_OBJ_L1CACHE; type <= HWLOC_OBJ_L3ICACHE; ++type)
    for (hwloc_obj_t cache = nullptr;
         (cache = hwloc_get_next_obj_by_type(topology, static_cast<hwloc_obj_type_t>(type),
                                             cache)) != nullptr;) {
      const auto& attributes = cache->attr->cache;
      if (attributes.size > 0)
        ++instances[{static_cast<int>(attributes.depth), cache_type(attributes.type),
                     attributes.size}];
    }
  std::vector<specs::Cache> result;
  for (const auto& [key, number] : instances)
    result.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), number});
  return result;
}

std::vector<int> cpu_numbers(hwloc_topology_t topology) {
  std::vector<int> cpus;
  const auto set = hwloc_topology_get_topology_cpuset(topology);
  for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu))
    cpus.push_back(cpu);
  return cpus;
}

// "0000:17:00.0", as the kernel writes it.
std::string pci_name(unsigned domain, unsigned bus, unsigned device, unsigned function) {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", domain, bus, device, function);
}

// Before the topology is restricted, and by complete sets: a node that this process may not use is one all the
// same, and must not leave its neighbour as the only one that a device could belong to.
std::map<std::string, int> device_nodes(hwloc_topology_t topology) {
  std::map<std::string, int> nodes;
  for (hwloc_obj_t device = nullptr;
       (device = hwloc_get_next_pcidev(topology, device)) != nullptr;) {
    const hwloc_obj_t place = hwloc_get_non_io_ancestor_obj(topology, device);
    if (place == nullptr || hwloc_bitmap_weight(place->complete_nodeset) != 1) continue;
    const auto& pci = device->attr->pcidev;
    nodes[pci_name(pci.domain, pci.bus, pci.dev, pci.func)] =
        hwloc_bitmap_first(place->complete_nodeset);
  }
  return nodes;
}

}  // namespace

Topology read_topology(const Tree& tree, PciDevices devices) {
  const Handle topology = load(tree, devices);
  Topology result;
  result.device_nodes = device_nodes(topology.get());
  restrict_to_affinity(topology.get(), tree);
  result.threads = count(topology.get(), HWLOC_OBJ_PU);
  // Some virtual machines show neither cores nor packages: then each thread is a core, all of one
  // package.
  result.cores = count(topology.get(), HWLOC_OBJ_CORE);
  if (result.cores == 0) result.cores = result.threads;
  result.packages = std::max(1, count(topology.get(), HWLOC_OBJ_PACKAGE));
  result.numa_nodes = std::max(1, count(topology.get(), HWLOC_OBJ_NUMANODE));
  result.caches = caches(topology.get());
  result.cpus = cpu_numbers(topology.get());
  return result;
}

std::optional<int> numa_node_of(const std::string& pci, const Topology& topology,
                                const Tree& tree) {
  unsigned domain = 0, bus = 0, device = 0, function = 0;
  if (std::sscanf(pci.c_str(), "%x:%x:%x.%x", &domain, &bus, &device, &function) != 4)
    return std::nullopt;
  const std::string name = pci_name(domain, bus, device, function);
  if (const auto known = topology.device_nodes.find(name); known != topology.device_nodes.end())
    return known->second;
  const auto node =
      tree.number("/sys/bus/pci/devices/" + name + "/numa_node");  // -1, no number here: unknown
  return node ? std::optional(static_cast<int>(*node)) : std::nullopt;
}

}  // namespace stackx::inspector
