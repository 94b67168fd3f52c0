// What a machine is: CPU, memory, GPUs, operating system (detected by inspector/host, stored with
// every result).
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "specs/catalog/catalog.hpp"

namespace stackx::specs {

struct Cache {
  int level = 0;
  std::string type;  // "data", "instruction", "unified"
  std::uint64_t bytes = 0;
  int instances = 0;
};

struct Cpu {
  std::string model;              // "Intel(R) Xeon(R) Platinum 8480C"
  std::string vendor;             // "intel", "amd", "arm", ...
  std::string microarchitecture;  // "sapphire-rapids"; "unknown" when the table has no row for it
  int family = 0, model_number = 0, stepping = 0;
  std::vector<std::string> isa;  // flags as /proc/cpuinfo writes them, sorted
  int packages = 0, cores = 0, threads = 0, numa_nodes = 0;  // that this process may use
  int threads_online = 0;                                    // of the whole machine
  std::optional<double> quota;  // CPUs' worth of time the cgroup allows (1.5), if it limits it
  std::vector<Cache> caches;
  std::optional<double> max_mhz;
};

struct MigInstance {          // a part of a GPU, a device of its own to CUDA
  std::string uuid, profile;  // "MIG-...", "1g.10gb"
  std::uint64_t memory_bytes = 0;
};

struct PcieLink {                 // the best that card and slot can do together
  int generation = 0, width = 0;  // 4, 16: "PCIe 4.0 x16"
  bool operator==(const PcieLink&) const = default;
};

struct Gpu {
  std::string model, uuid, pci, compute_capability;
  std::uint64_t memory_bytes = 0;
  std::vector<MigInstance> mig;  // where there are some, work runs on them, not on the whole
  std::optional<int> numa_node = std::nullopt;  // as the kernel counts them
  std::optional<PcieLink> pcie = std::nullopt;
};

// Where the ways of two GPUs over PCIe meet, the nearest first; in brackets, as `nvidia-smi topo -m` writes it.
enum class GpuPath {
  internal,           // on one board
  single_switch,      // one PCIe switch (PIX)
  multiple_switches,  // several, below one host bridge (PXB)
  host_bridge,        // a processor's PCIe host bridge (PHB)
  numa_node,          // between host bridges of one NUMA node (NODE)
  system              // between NUMA nodes (SYS)
};
std::string_view to_string(GpuPath path);  // as documents write it: "single_switch"

// What joins two GPUs; absent is what the driver does not say.
struct GpuLink {
  std::size_t a = 0, b = 0;  // indexes in Host::gpus, a < b
  std::optional<GpuPath> path = std::nullopt;
  std::optional<int> nvlinks = std::nullopt;         // active ones that join them directly
  std::optional<int> nvswitch = std::nullopt;        // active ones of each that end in an NVSwitch
  std::optional<int> nvlink_version = std::nullopt;  // of these NVLinks: 4 is Hopper's
  std::optional<bool> peer_access = std::nullopt;    // whether one may read the other's memory
  bool operator==(const GpuLink&) const = default;
};

struct Host {
  std::string hostname;
  Cpu cpu;
  std::uint64_t memory_bytes = 0;
  std::optional<std::uint64_t> memory_limit_bytes;  // of the cgroup, if below memory_bytes
  std::vector<Gpu> gpus;
  std::vector<GpuLink> gpu_links;  // of each pair that something is known of, by a, then b
  std::string driver;              // NVIDIA driver version, empty without one
  std::string cuda_driver;         // the CUDA version it supports, "12.4"
  std::string gpu_note;            // why there is no GPU to see: "libnvidia-ml.so.1 not found"
  std::string os, os_version, kernel, libc;     // "debian", "12", "6.1.0-18-amd64", "glibc 2.36"
  std::string governor, turbo, virtualization;  // "performance", "on"/"off", "kvm", "unknown"
  std::string container;  // what this process runs in: "docker", "podman"; empty if none is seen
  std::vector<std::string> runtimes;  // "bubblewrap 0.8.0", "podman 4.3.1"

  // SHA-256 over what determines speed and does not change between boots: CPU, caches, counts,
  // memory, GPUs. Not their links: they would make other machines of those that are in stores.
  std::string fingerprint() const;
  // The host as a version of the catalog component `cpu` (or `gpu`): name and attributes
  // (cpu: isa (set), vendor, microarchitecture, cores, memory_gib (the limit where there is one);
  // gpu: compute_capability, memory_gib).
  VersionEntry cpu_entry() const;  // version: the microarchitecture, e.g. "sapphire-rapids"
  // Of one of the GPUs, e.g. "nvidia-h200"; nothing if there is no such one.
  std::optional<VersionEntry> gpu_entry(std::size_t index = 0) const;
};

// The version of `gpu` that a model is which its driver calls so ("NVIDIA H200"): by that name, else by a title or an alias
// that is the whole of it ("h200-sxm-141gb"). Null: none.
const VersionEntry* gpu_called(const Component& gpu, std::string_view model);
// Whether that version is of this card's model: it is called so, or says which ("v100-sxm2-16gb" of "Tesla V100-SXM2-16GB").
// `component`: the catalog's `gpu`, may be null.
bool is_model_of(const std::string& version, const Gpu& gpu, const Component* component);

nlohmann::json to_json(const Host& host);
Host host_from(const Node& node);

}  // namespace stackx::specs
