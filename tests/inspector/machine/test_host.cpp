#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>

#include "inspector/machine/host.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "tests/inspector/fake_machine.hpp"

using namespace stackx;
using namespace stackx::inspector;
using namespace stackx::inspector::testing;
using Catch::Contains;

namespace {

constexpr const char* data_directory = STACKX_SOURCE_DIR "/specs/data";

specs::Host detect(const FakeMachine& machine, const std::string& nvml = "libno-such-nvml.so.1",
                   const std::string& hypervisor = "") {
  static const auto table =
      specs::Microarchitectures::load(std::string(data_directory) + "/microarchitectures.json");
  HostSources sources;
  sources.root = machine.root();
  sources.nvml = nvml;
  sources.hypervisor = hypervisor;
  sources.version_text = [](const std::string& program) -> std::optional<std::string> {
    return program == "bwrap" ? std::optional<std::string>("bubblewrap 0.8.0") : std::nullopt;
  };
  return detect_host(table, sources);
}

// As it goes into result documents and comes back.
specs::Host round_trip(const specs::Host& host) {
  return specs::host_from(specs::Node::parse_text(specs::to_json(host).dump(), "host"));
}

}  // namespace

TEST_CASE("an AMD server on bare metal") {
  FakeMachine machine;
  zen3_server(machine);
  const specs::Host host = detect(machine);
  CHECK(host.hostname == "node17");
  CHECK(host.cpu.microarchitecture == "zen3");
  CHECK(host.cpu.packages == 2);
  CHECK(host.cpu.cores == 16);
  CHECK(host.cpu.threads == 32);
  CHECK(host.cpu.threads_online == 32);
  CHECK_FALSE(host.cpu.quota);
  CHECK(host.cpu.max_mhz == 4100.0);
  CHECK(host.memory_bytes == 263855716ULL * 1024);
  CHECK_FALSE(host.memory_limit_bytes);
  CHECK(host.governor == "performance");
  CHECK(host.turbo == "on");
  CHECK(host.virtualization == "none");
  CHECK(host.container.empty());
  CHECK(host.os == "debian");
  CHECK(host.os_version == "12");
  CHECK(host.kernel == "6.1.0-18-amd64");
  CHECK_THAT(host.libc, Catch::StartsWith("glibc 2."));
  CHECK(host.runtimes == std::vector<std::string>{"bubblewrap 0.8.0"});
  CHECK(host.gpus.empty());
  CHECK(host.gpu_note == "libno-such-nvml.so.1 not found");
}

TEST_CASE("an Intel virtual machine without cpufreq") {
  FakeMachine machine;
  intel_vm(machine);
  const specs::Host host = detect(machine, "libno-such-nvml.so.1", "KVMKVMKVM");
  CHECK(host.cpu.microarchitecture == "emerald-rapids");
  CHECK(host.cpu.cores == 2);
  CHECK_FALSE(host.cpu.max_mhz);
  CHECK(host.governor == "unknown");
  CHECK(host.turbo == "unknown");
  CHECK(host.virtualization == "kvm");
  CHECK(host.os == "ubuntu");
}

TEST_CASE("an ARM machine in a cloud") {
  FakeMachine machine;
  neoverse(machine);
  const specs::Host host = detect(machine);
  CHECK(host.cpu.model == "Neoverse N1");
  CHECK(host.cpu.cores == 4);
  CHECK(host.virtualization == "amazon");
  CHECK(host.os == "amzn");
  CHECK(host.hostname == "unknown");
}

TEST_CASE("a container on the server: what it may use, and what the machine has") {
  FakeMachine machine;
  container(machine);
  const specs::Host host = detect(machine);
  CHECK(host.cpu.threads == 2);
  CHECK(host.cpu.cores == 2);
  CHECK(host.cpu.packages == 1);
  CHECK(host.cpu.threads_online == 32);
  CHECK(host.cpu.quota == 1.5);
  CHECK(host.memory_limit_bytes == 2147483648ULL);
  CHECK(host.memory_bytes == 263855716ULL * 1024);
  CHECK(host.container == "podman");
}

TEST_CASE("a quota or a memory limit above what there is does not limit") {
  FakeMachine machine;
  container(machine);
  machine.file("/sys/fs/cgroup/cpu.max", "6400000 100000\n");
  machine.file("/sys/fs/cgroup/memory.max", "1099511627776\n");
  const specs::Host host = detect(machine);
  CHECK_FALSE(host.cpu.quota);
  CHECK_FALSE(host.memory_limit_bytes);
}

TEST_CASE("GPUs and the reason for none") {
  FakeMachine machine;
  intel_vm(machine);
  const std::string libraries = STACKX_BINARY_DIR "/tests/nvml/";
  const specs::Host with = detect(machine, libraries + "two_gpus/libnvidia-ml.so.1");
  REQUIRE(with.gpus.size() == 2);
  CHECK(with.driver == "550.54.15");
  CHECK(with.gpu_note.empty());
  REQUIRE(with.gpu_entry());
  CHECK(with.gpu_entry()->version.text() == "nvidia-h200");

  machine.file("/sys/bus/pci/devices/0000:17:00.0/vendor", "0x10de\n");
  machine.file("/sys/bus/pci/devices/0000:17:00.0/class", "0x030200\n");
  const specs::Host without = detect(machine);
  CHECK_THAT(without.gpu_note, Contains("not found") && Contains("0000:17:00.0"));
  CHECK_FALSE(without.gpu_entry());
}

TEST_CASE(
    "how GPUs are joined, and where they are, goes into the document and not into the "
    "fingerprint") {
  FakeMachine machine;
  zen3_server(machine);
  machine.file("/sys/bus/pci/devices/0000:c3:00.0/numa_node", "1\n");
  const specs::Host host =
      detect(machine, STACKX_BINARY_DIR "/tests/nvml/bridged/libnvidia-ml.so.1");
  REQUIRE(host.gpus.size() == 4);
  CHECK_FALSE(host.gpus[0].numa_node);
  CHECK(host.gpus[2].numa_node == 1);
  CHECK(host.gpu_links.size() == 6);
  const specs::Host back = round_trip(host);
  CHECK(back.gpu_links == host.gpu_links);
  CHECK(back.gpus[2].numa_node == 1);
  CHECK(back.gpus[2].pcie == host.gpus[2].pcie);
  specs::Host bare = host;
  bare.gpu_links.clear();
  for (auto& gpu : bare.gpus) gpu.numa_node.reset(), gpu.pcie.reset();
  CHECK(bare.fingerprint() == host.fingerprint());
  const auto json = specs::to_json(bare);
  CHECK_FALSE(json.contains("gpu_links"));
  CHECK_FALSE(json["gpus"][2].contains("numa_node"));
  CHECK_FALSE(json["gpus"][2].contains("pcie"));
}

TEST_CASE("an empty tree is described as unknown, and hwloc's one CPU") {
  FakeMachine machine;
  setenv("HWLOC_HIDE_ERRORS", "2", 1);
  const specs::Host host = detect(machine);
  unsetenv("HWLOC_HIDE_ERRORS");
  CHECK(host.cpu.model == "unknown");
  CHECK(host.cpu.cores >= 1);
  CHECK(host.memory_bytes == 0);
  CHECK(host.kernel == "unknown");
}

TEST_CASE("a host survives its document, fingerprint and all") {
  for (const auto build : {zen3_server, intel_vm, neoverse, container}) {
    FakeMachine machine;
    build(machine);
    const specs::Host host = detect(machine);
    const specs::Host back = round_trip(host);
    CHECK(specs::to_json(back) == specs::to_json(host));
    CHECK(back.fingerprint() == host.fingerprint());
  }
}

TEST_CASE("the fingerprint is of the hardware, not of the day") {
  FakeMachine machine;
  zen3_server(machine);
  const std::string before = detect(machine).fingerprint();
  machine.file("/proc/sys/kernel/hostname", "renamed\n");
  machine.file("/proc/sys/kernel/osrelease", "6.1.0-99-amd64\n");
  machine.file("/proc/meminfo", "MemTotal:       263851000 kB\n");
  CHECK(detect(machine).fingerprint() == before);
  machine.allow("0-7");
  CHECK(detect(machine).fingerprint() != before);
}

TEST_CASE("requirements of catalogs hold for the machine that was found") {
  FakeMachine machine;
  zen3_server(machine);
  const specs::VersionEntry cpu = detect(machine).cpu_entry();
  CHECK(cpu.version.text() == "zen3");
  const auto holds = [&](const std::string& key, const std::string& value) {
    const auto node = specs::Node::parse_text(value, "requirement");
    return specs::holds(specs::parse_requirement(key, node, specs::Versioning::opaque), cpu);
  };
  CHECK(holds("cpu.isa", R"({"contains": ["avx2", "fma"]})"));
  CHECK_FALSE(holds("cpu.isa", R"({"contains": ["avx512f"]})"));
  CHECK(holds("cpu.cores", R"(">=2")"));
  CHECK_FALSE(holds("cpu.cores", R"(">=17")"));
  CHECK(holds("cpu.memory_gib", R"(">=200")"));
}

TEST_CASE("this machine") {
  const specs::Host host = detect_host(data_directory);
  CHECK(host.cpu.threads >= 1);
  CHECK(static_cast<unsigned>(host.cpu.threads) <=
        std::max(1U, std::thread::hardware_concurrency()));
  CHECK(host.memory_bytes > (std::uint64_t{1} << 28));
  CHECK(host.kernel != "unknown");
  CHECK(specs::to_json(round_trip(host)) == specs::to_json(host));
  if (host.cpu.vendor == "intel" && host.cpu.family == 6 && host.cpu.model_number == 207)
    CHECK(host.cpu.microarchitecture == "emerald-rapids");
  CHECK(host.gpus.empty() != host.gpu_note.empty());
  CHECK(load_now() >= 0);
}

TEST_CASE("without its data directory detection says where it looked") {
  CHECK_THROWS_WITH(detect_host("/no/such/place"),
                    Contains("/no/such/place/microarchitectures.json"));
}
