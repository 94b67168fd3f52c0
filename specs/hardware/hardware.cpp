#include "specs/hardware/hardware.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/hardware/name.hpp"

namespace stackx::specs {
namespace {

// Flags of instruction sets that compute; the kernel adds and renames others with its own updates
// (mitigations, virtualisation), which must not make another machine of this one.
bool decides_speed(std::string_view flag) {
  constexpr std::array<std::string_view, 12> families{"sse", "ssse", "pni", "avx",   "fma", "f16c",
                                                      "amx", "bmi",  "abm", "asimd", "sve", "sme"};
  return std::any_of(families.begin(), families.end(),
                     [&](auto family) { return flag.starts_with(family); });
}

// The kernel keeps a little memory for itself, more or less from boot to boot.
std::uint64_t whole_gib(std::uint64_t bytes) {
  constexpr std::uint64_t gib = std::uint64_t(1) << 30;
  return (bytes + gib / 2) / gib;
}

// "NVIDIA A100-SXM4-80GB" -> "nvidia-a100-sxm4-80gb"
std::string slug(std::string_view text) {
  std::string result;
  for (const unsigned char c : text) {
    if (c < 128 && std::isalnum(c)) {
      result += static_cast<char>(std::tolower(c));
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (result.ends_with('-')) result.pop_back();
  return result;
}

Version opaque(const std::string& text) {
  const std::string name = slug(text);
  return Version::parse(name.empty() ? "unknown" : name, Versioning::opaque).value();
}

Json to_json(const Cache& cache) {
  return {{"level", cache.level},
          {"type", cache.type},
          {"bytes", cache.bytes},
          {"instances", cache.instances}};
}

Json to_json(const Cpu& cpu) {
  Json caches = Json::array();
  for (const auto& cache : cpu.caches) caches.push_back(to_json(cache));
  Json json = {{"model", cpu.model},
               {"vendor", cpu.vendor},
               {"microarchitecture", cpu.microarchitecture},
               {"family", cpu.family},
               {"model_number", cpu.model_number},
               {"stepping", cpu.stepping},
               {"isa", cpu.isa},
               {"packages", cpu.packages},
               {"cores", cpu.cores},
               {"threads", cpu.threads},
               {"numa_nodes", cpu.numa_nodes},
               {"threads_online", cpu.threads_online},
               {"caches", std::move(caches)}};
  if (cpu.quota) json["quota"] = *cpu.quota;
  if (cpu.max_mhz) json["max_mhz"] = *cpu.max_mhz;
  return json;
}

Json to_json(const Gpu& gpu) {
  Json json = {{"model", gpu.model},
               {"uuid", gpu.uuid},
               {"pci", gpu.pci},
               {"compute_capability", gpu.compute_capability},
               {"memory_bytes", gpu.memory_bytes}};
  for (const auto& part : gpu.mig)
    json["mig"].push_back(
        {{"uuid", part.uuid}, {"profile", part.profile}, {"memory_bytes", part.memory_bytes}});
  if (gpu.numa_node) json["numa_node"] = *gpu.numa_node;
  if (gpu.pcie) json["pcie"] = {{"generation", gpu.pcie->generation}, {"width", gpu.pcie->width}};
  return json;
}

constexpr std::array<std::string_view, 6> paths{"internal",    "single_switch", "multiple_switches",
                                                "host_bridge", "numa_node",     "system"};

Json to_json(const GpuLink& link) {
  Json json = {{"a", link.a}, {"b", link.b}};
  if (link.path) json["path"] = to_string(*link.path);
  if (link.nvlinks) json["nvlinks"] = *link.nvlinks;
  if (link.nvswitch) json["nvswitch"] = *link.nvswitch;
  if (link.nvlink_version) json["nvlink_version"] = *link.nvlink_version;
  if (link.peer_access) json["peer_access"] = *link.peer_access;
  return json;
}

int small_integer(const Node& node) {
  const std::int64_t value = node.integer();
  if (value < -1'000'000'000 || value > 1'000'000'000)
    node.fail("expected a number of at most 9 digits");
  return static_cast<int>(value);
}

std::optional<int> optional_integer(const Node& node, std::string_view key) {
  const auto found = node.find(key);
  return found ? std::optional(small_integer(*found)) : std::nullopt;
}

Cache cache_from(const Node& node) {
  node.only({"level", "type", "bytes", "instances"});
  return {small_integer(node.at("level")), node.at("type").text(),
          node.at("bytes").unsigned_integer(), small_integer(node.at("instances"))};
}

Cpu cpu_from(const Node& node) {
  node.only({"model", "vendor", "microarchitecture", "family", "model_number", "stepping", "isa",
             "packages", "cores", "threads", "numa_nodes", "threads_online", "quota", "caches",
             "max_mhz"});
  Cpu cpu;
  cpu.model = node.at("model").text();
  cpu.vendor = node.at("vendor").text();
  cpu.microarchitecture = node.at("microarchitecture").text();
  cpu.family = small_integer(node.at("family"));
  cpu.model_number = small_integer(node.at("model_number"));
  cpu.stepping = small_integer(node.at("stepping"));
  cpu.isa = node.at("isa").texts();
  cpu.packages = small_integer(node.at("packages"));
  cpu.cores = small_integer(node.at("cores"));
  cpu.threads = small_integer(node.at("threads"));
  cpu.numa_nodes = small_integer(node.at("numa_nodes"));
  cpu.threads_online = small_integer(node.at("threads_online"));
  if (const auto quota = node.find("quota")) cpu.quota = quota->number();
  for (const auto& item : node.at("caches").items()) cpu.caches.push_back(cache_from(item));
  if (const auto mhz = node.find("max_mhz")) cpu.max_mhz = mhz->number();
  return cpu;
}

MigInstance mig_from(const Node& node) {
  node.only({"uuid", "profile", "memory_bytes"});
  return {node.at("uuid").text(), node.at("profile").text(),
          node.at("memory_bytes").unsigned_integer()};
}

PcieLink pcie_from(const Node& node) {
  node.only({"generation", "width"});
  return {small_integer(node.at("generation")), small_integer(node.at("width"))};
}

Gpu gpu_from(const Node& node) {
  node.only(
      {"model", "uuid", "pci", "compute_capability", "memory_bytes", "mig", "numa_node", "pcie"});
  Gpu gpu{node.at("model").text(),
          node.at("uuid").text(),
          node.at("pci").text(),
          node.at("compute_capability").text(),
          node.at("memory_bytes").unsigned_integer(),
          {}};
  if (const auto parts = node.find("mig"))
    for (const auto& part : parts->items()) gpu.mig.push_back(mig_from(part));
  gpu.numa_node = optional_integer(node, "numa_node");
  if (const auto pcie = node.find("pcie")) gpu.pcie = pcie_from(*pcie);
  return gpu;
}

GpuPath path_from(const Node& node) {
  const auto found = std::ranges::find(paths, node.text());
  if (found == paths.end())
    node.fail(fmt::format("unknown path \"{}\"; expected {}", node.text(), fmt::join(paths, ", ")));
  return static_cast<GpuPath>(found - paths.begin());
}

GpuLink link_from(const Node& node, std::size_t gpus) {
  node.only({"a", "b", "path", "nvlinks", "nvswitch", "nvlink_version", "peer_access"});
  GpuLink link{node.at("a").unsigned_integer(), node.at("b").unsigned_integer()};
  if (link.a >= link.b || link.b >= gpus)
    node.fail("expected a < b, and both to be places in \"gpus\", counted from 0");
  if (const auto path = node.find("path")) link.path = path_from(*path);
  link.nvlinks = optional_integer(node, "nvlinks");
  link.nvswitch = optional_integer(node, "nvswitch");
  link.nvlink_version = optional_integer(node, "nvlink_version");
  if (const auto access = node.find("peer_access")) link.peer_access = access->boolean();
  return link;
}

}  // namespace

std::string_view to_string(GpuPath path) { return paths.at(static_cast<std::size_t>(path)); }

// Identical machines have one fingerprint: neither names nor serial numbers take part. The order in
// which caches, flags and GPUs were found does not either.
std::string Host::fingerprint() const {
  std::vector<std::string> isa;
  std::copy_if(cpu.isa.begin(), cpu.isa.end(), std::back_inserter(isa), decides_speed);
  std::sort(isa.begin(), isa.end());
  std::vector<std::string> caches, gpu_models;
  for (const auto& cache : cpu.caches)
    caches.push_back(
        fmt::format("L{} {} {} x{}", cache.level, cache.type, cache.bytes, cache.instances));
  for (const auto& gpu : gpus)
    gpu_models.push_back(fmt::format("{} {} {} GiB", gpu.model, gpu.compute_capability,
                                     whole_gib(gpu.memory_bytes)));
  std::sort(caches.begin(), caches.end());
  std::sort(gpu_models.begin(), gpu_models.end());
  Json json = {{"cpu", {cpu.vendor, cpu.model, cpu.family, cpu.model_number, cpu.stepping}},
               {"isa", isa},
               {"counts", {cpu.packages, cpu.cores, cpu.threads, cpu.numa_nodes}},
               {"caches", caches},
               {"memory_gib", whole_gib(memory_bytes)},
               {"gpus", gpu_models}};
  if (cpu.quota) json["quota"] = *cpu.quota;
  if (memory_limit_bytes) json["memory_limit_gib"] = whole_gib(*memory_limit_bytes);
  return sha256(canonical(json));
}

VersionEntry Host::cpu_entry() const {
  VersionEntry entry;
  entry.version = opaque(cpu.microarchitecture);
  entry.attributes = {
      {"isa", cpu.isa},
      {"vendor", cpu.vendor},
      {"microarchitecture", cpu.microarchitecture},
      {"cores", std::to_string(cpu.cores)},
      {"memory_gib", std::to_string(whole_gib(memory_limit_bytes.value_or(memory_bytes)))}};
  return entry;
}

std::optional<VersionEntry> Host::gpu_entry(std::size_t index) const {
  if (index >= gpus.size()) return std::nullopt;
  const Gpu& gpu = gpus[index];
  VersionEntry entry;
  entry.version = opaque(gpu.model);
  entry.attributes = {{"compute_capability", gpu.compute_capability},
                      {"memory_gib", std::to_string(whole_gib(gpu.memory_bytes))}};
  return entry;
}

const VersionEntry* gpu_called(const Component& gpu, std::string_view model) {
  if (const auto* entry = gpu.find(opaque(std::string(model)).text())) return entry;
  const auto whole = hardware_words(model);
  constexpr std::string_view vendor = "-nvidia";  // which titles leave out
  const auto without = whole.starts_with(vendor) ? whole.substr(vendor.size()) : whole;
  const auto is_it = [&](const std::string& name) {
    const auto words = hardware_words(name);
    return words == whole || words == without;
  };
  for (const auto& entry : gpu.versions)
    for (const char* key : {"title", "aliases"}) {
      const auto found = entry.attributes.find(key);
      if (found == entry.attributes.end()) continue;
      const auto* one = std::get_if<std::string>(&found->second);
      const auto* several = std::get_if<std::vector<std::string>>(&found->second);
      if (one ? is_it(*one) : std::ranges::any_of(*several, is_it)) return &entry;
    }
  return nullptr;
}

bool is_model_of(const std::string& version, const Gpu& gpu, const Component* component) {
  const auto name = opaque(gpu.model).text();
  if (version == name || names_hardware(version, name)) return true;
  const auto* known = component == nullptr ? nullptr : gpu_called(*component, gpu.model);
  return known != nullptr && known->version.text() == version;
}

Json to_json(const Host& host) {
  Json gpus = Json::array();
  for (const auto& gpu : host.gpus) gpus.push_back(to_json(gpu));
  Json json = {{"hostname", host.hostname},
               {"cpu", to_json(host.cpu)},
               {"memory_bytes", host.memory_bytes},
               {"gpus", std::move(gpus)},
               {"driver", host.driver},
               {"cuda_driver", host.cuda_driver},
               {"gpu_note", host.gpu_note},
               {"os", host.os},
               {"os_version", host.os_version},
               {"kernel", host.kernel},
               {"libc", host.libc},
               {"governor", host.governor},
               {"turbo", host.turbo},
               {"virtualization", host.virtualization},
               {"container", host.container},
               {"runtimes", host.runtimes}};
  if (host.memory_limit_bytes) json["memory_limit_bytes"] = *host.memory_limit_bytes;
  for (const auto& link : host.gpu_links) json["gpu_links"].push_back(to_json(link));
  return json;
}

Host host_from(const Node& node) {
  node.only({"hostname", "cpu", "memory_bytes", "memory_limit_bytes", "gpus", "gpu_links", "driver",
             "cuda_driver", "gpu_note", "os", "os_version", "kernel", "libc", "governor", "turbo",
             "virtualization", "container", "runtimes"});
  Host host;
  host.hostname = node.at("hostname").text();
  host.cpu = cpu_from(node.at("cpu"));
  host.memory_bytes = node.at("memory_bytes").unsigned_integer();
  if (const auto limit = node.find("memory_limit_bytes"))
    host.memory_limit_bytes = limit->unsigned_integer();
  for (const auto& item : node.at("gpus").items()) host.gpus.push_back(gpu_from(item));
  if (const auto links = node.find("gpu_links"))
    for (const auto& item : links->items())
      host.gpu_links.push_back(link_from(item, host.gpus.size()));
  host.driver = node.at("driver").text();
  host.cuda_driver = node.at("cuda_driver").text();
  host.gpu_note = node.at("gpu_note").text();
  host.os = node.at("os").text();
  host.os_version = node.at("os_version").text();
  host.kernel = node.at("kernel").text();
  host.libc = node.at("libc").text();
  host.governor = node.at("governor").text();
  host.turbo = node.at("turbo").text();
  host.virtualization = node.at("virtualization").text();
  host.container = node.at("container").text();
  host.runtimes = node.at("runtimes").texts();
  return host;
}

}  // namespace stackx::specs
