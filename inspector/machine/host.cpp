#include "inspector/machine/host.hpp"

#include <gnu/libc-version.h>

#include <cstdlib>

#include "inspector/machine/cgroup.hpp"
#include "inspector/machine/cpu.hpp"
#include "inspector/machine/gpu/nvml.hpp"
#include "inspector/machine/topology.hpp"

namespace stackx::inspector {
namespace {

specs::Cpu detect_cpu(const Tree& tree, const specs::Microarchitectures& table,
                      const Topology& topology) {
  specs::Cpu cpu = parse_cpuinfo(tree.text("/proc/cpuinfo").value_or(""), table);
  cpu.packages = topology.packages;
  cpu.cores = topology.cores;
  cpu.threads = topology.threads;
  cpu.numa_nodes = topology.numa_nodes;
  cpu.caches = topology.caches;
  const auto online = parse_cpu_list(tree.line("/sys/devices/system/cpu/online").value_or(""));
  cpu.threads_online = online.empty() ? topology.threads : static_cast<int>(online.size());
  cpu.max_mhz = read_max_mhz(tree, topology.cpus);
  return cpu;
}

std::uint64_t memory_bytes(const Tree& tree) {
  const auto text = tree.text("/proc/meminfo").value_or("");
  const auto total = words(value_of(text, "MemTotal", ':').value_or(""));  // "24684092 kB"
  return total.empty() ? 0 : parse_unsigned(total.front()).value_or(0) * 1024;
}

void apply_limits(const Tree& tree, specs::Host& host) {
  const Limits limits = read_limits(tree);
  if (limits.cpus && *limits.cpus < host.cpu.threads) host.cpu.quota = limits.cpus;
  if (limits.memory_bytes && (host.memory_bytes == 0 || *limits.memory_bytes < host.memory_bytes))
    host.memory_limit_bytes = limits.memory_bytes;
}

void apply_gpus(const Tree& tree, const Topology& topology, NvmlReport report, specs::Host& host) {
  host.gpus = std::move(report.gpus);
  host.gpu_links = std::move(report.gpu_links);
  for (auto& gpu : host.gpus) gpu.numa_node = numa_node_of(gpu.pci, topology, tree);
  host.driver = std::move(report.driver);
  host.cuda_driver = std::move(report.cuda_driver);
  host.gpu_note = std::move(report.note);
  if (host.gpus.empty() && host.driver.empty()) host.gpu_note += explain_missing_gpu(tree);
}

}  // namespace

specs::Host detect_host(const specs::Microarchitectures& table, const HostSources& sources) {
  const Tree tree(sources.root);
  NvmlReport gpus = read_nvml(sources.nvml);
  const Topology topology = read_topology(tree, gpus.gpus.empty() ? PciDevices::left_out : PciDevices::placed);
  specs::Host host;
  host.hostname = tree.line("/proc/sys/kernel/hostname").value_or("unknown");
  host.cpu = detect_cpu(tree, table, topology);
  host.memory_bytes = memory_bytes(tree);
  apply_limits(tree, host);
  apply_gpus(tree, topology, std::move(gpus), host);
  const Release release = read_release(tree);
  host.os = release.id;
  host.os_version = release.version;
  host.kernel = tree.line("/proc/sys/kernel/osrelease").value_or("unknown");
  host.libc = std::string("glibc ") + gnu_get_libc_version();
  host.governor = read_governor(tree, topology.cpus);
  host.turbo = read_turbo(tree);
  host.virtualization = read_virtualization(tree, host.cpu.isa, sources.hypervisor);
  host.container = read_container(tree);
  host.runtimes = find_runtimes(sources.version_text);
  return host;
}

specs::Host detect_host(const std::filesystem::path& data_directory) {
  HostSources sources;
  sources.hypervisor = hypervisor_signature();
  return detect_host(specs::Microarchitectures::load(data_directory / "microarchitectures.json"),
                     sources);
}

double load_now() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

}  // namespace stackx::inspector
