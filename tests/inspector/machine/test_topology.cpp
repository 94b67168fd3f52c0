#include <sched.h>

#include <catch2/catch.hpp>
#include <future>

#include "inspector/machine/topology.hpp"
#include "tests/inspector/fake_machine.hpp"

using namespace stackx;
using namespace stackx::inspector;
using namespace stackx::inspector::testing;

namespace {

int instances(const Topology& topology, int level, const std::string& type, std::uint64_t bytes) {
  for (const specs::Cache& cache : topology.caches)
    if (cache.level == level && cache.type == type && cache.bytes == bytes) return cache.instances;
  return 0;
}

constexpr std::uint64_t kib = 1024;

}  // namespace

TEST_CASE("a two-socket server with SMT") {
  FakeMachine machine;
  zen3_server(machine);
  const Topology topology = read_topology(machine.tree(), PciDevices::left_out);
  CHECK(topology.packages == 2);
  CHECK(topology.cores == 16);
  CHECK(topology.threads == 32);
  CHECK(topology.numa_nodes == 2);
  CHECK(instances(topology, 1, "data", 32 * kib) == 16);
  CHECK(instances(topology, 1, "instruction", 32 * kib) == 16);
  CHECK(instances(topology, 2, "unified", 512 * kib) == 16);
  CHECK(instances(topology, 3, "unified", 32768 * kib) == 16);
  CHECK(topology.caches.size() == 4);
  CHECK(topology.caches.front().level == 1);
  CHECK(topology.cpus.size() == 32);
}

TEST_CASE("the affinity mask restricts everything") {
  FakeMachine machine;
  zen3_server(machine);
  machine.allow("4-7,20-21");  // four cores of the first socket, two of them with both threads
  const Topology topology = read_topology(machine.tree(), PciDevices::left_out);
  CHECK(topology.packages == 1);
  CHECK(topology.cores == 4);
  CHECK(topology.threads == 6);
  CHECK(topology.numa_nodes == 1);
  CHECK(instances(topology, 3, "unified", 32768 * kib) == 4);
  CHECK(topology.cpus == std::vector<int>{4, 5, 6, 7, 20, 21});
}

TEST_CASE("a mask that names no CPU of this machine is not believed") {
  FakeMachine machine;
  intel_vm(machine);
  for (const char* mask : {"100-200", "", "none", "3-1"}) {
    machine.allow(mask);
    CHECK(read_topology(machine.tree(), PciDevices::left_out).threads == 2);
  }
}

TEST_CASE("the control group's CPU set restricts without an affinity mask") {
  FakeMachine machine;
  container(machine);
  machine.allow("0-31");
  const Topology topology = read_topology(machine.tree(), PciDevices::left_out);
  CHECK(topology.threads == 2);
  CHECK(topology.cpus == std::vector<int>{2, 3});
}

TEST_CASE("any regular shape is counted as it was built") {
  for (int packages : {1, 2, 4})
    for (int nodes : {1, 2})
      for (int cores : {2, 6})
        for (int threads : {1, 2, 4}) {
          if (packages * cores * threads > 24) continue;
          CAPTURE(packages, nodes, cores, threads);
          FakeMachine machine;
          Shape shape{
              packages, nodes, cores, threads, {{1, "Data", "64K", 1}, {2, "Unified", "1024K", 2}}};
          machine.topology(shape);
          const Topology topology = read_topology(machine.tree(), PciDevices::left_out);
          CHECK(topology.packages == packages);
          CHECK(topology.numa_nodes == packages * nodes);
          CHECK(topology.cores == packages * cores);
          CHECK(topology.threads == packages * cores * threads);
          CHECK(instances(topology, 1, "data", 64 * kib) == packages * cores);
          CHECK(instances(topology, 2, "unified", 1024 * kib) == packages * cores / 2);
        }
}

TEST_CASE(
    "this machine: threads are those of the scheduler's mask, before and after narrowing it") {
  cpu_set_t original;
  REQUIRE(sched_getaffinity(0, sizeof original, &original) == 0);
  const Topology topology = read_topology(Tree(), PciDevices::left_out);
  CHECK(topology.threads == CPU_COUNT(&original));
  CHECK(topology.cores >= 1);
  CHECK(topology.cores <= topology.threads);

  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(topology.cpus.back(), &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  const Topology narrowed = read_topology(Tree(), PciDevices::left_out);
  REQUIRE(sched_setaffinity(0, sizeof original, &original) == 0);
  CHECK(narrowed.threads == 1);
  CHECK(narrowed.cores == 1);
  CHECK(narrowed.cpus == std::vector<int>{topology.cpus.back()});
}

// hwloc binds the thread that looks to each CPU in turn: another must not take that for the mask of all.
TEST_CASE("this machine: threads that look at the same time see the same") {
  const int threads = read_topology(Tree(), PciDevices::left_out).threads;
  for (int i = 0; i < 10; ++i) {
    auto other = std::async(std::launch::async, [] { return read_topology(Tree(), PciDevices::left_out).threads; });
    const int here = read_topology(Tree(), PciDevices::left_out).threads;
    CHECK(other.get() == threads);
    CHECK(here == threads);
  }
}

namespace {

// A card as sysfs shows it; what hwloc goes by, and what the kernel says.
void card(FakeMachine& machine, const std::string& name, const std::string& local_cpus,
          const std::string& numa_node) {
  const std::string directory = "/sys/bus/pci/devices/" + name + "/";
  machine.file(directory + "vendor", "0x10de\n");
  machine.file(directory + "device", "0x20b0\n");
  machine.file(directory + "class", "0x030200\n");
  if (!local_cpus.empty()) machine.file(directory + "local_cpus", local_cpus + "\n");
  if (!numa_node.empty()) machine.file(directory + "numa_node", numa_node + "\n");
}

}  // namespace

TEST_CASE("NUMA nodes of PCI devices, from hwloc and from the kernel") {
  FakeMachine machine;
  zen3_server(machine);  // the second socket, node 1: CPUs 8-15 and 24-31
  card(machine, "0000:17:00.0", "00ff00ff", "0");
  card(machine, "0000:b3:00.0", "ff00ff00", "-1");  // firmware that forgot the node
  card(machine, "0000:c3:00.0", "ffffffff", "1");
  card(machine, "0000:d3:00.0", "ffffffff", "-1");
  const auto node = [&](const std::string& pci) {
    return numa_node_of(pci, read_topology(machine.tree(), PciDevices::placed), machine.tree());
  };
  CHECK(read_topology(machine.tree(), PciDevices::left_out).device_nodes.empty());
  CHECK(node("0000:17:00.0") == 0);
  CHECK(node("00000000:B3:00.0") == 1);  // as NVML writes it
  CHECK(node("00000000:C3:00.0") == 1);
  CHECK_FALSE(node("00000000:D3:00.0"));
  CHECK_FALSE(node("00000000:E3:00.0"));
  CHECK_FALSE(node(""));
  machine.allow("0-7");  // this process is on the first socket; the card is not
  CHECK(read_topology(machine.tree(), PciDevices::left_out).numa_nodes == 1);
  CHECK(node("00000000:B3:00.0") == 1);
  CHECK_FALSE(node("00000000:D3:00.0"));

  CHECK(numa_node_of("00000000:17:00.0", Topology{}, machine.tree()) ==
        0);  // an hwloc without devices
  CHECK_FALSE(numa_node_of("00000000:B3:00.0", Topology{}, machine.tree()));
}
