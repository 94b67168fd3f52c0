#include "inspector/machine/gpu/links.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace stackx::inspector {
namespace {

using nvml::answers;
using nvml::Device;

// --- NVML's ABI ---
constexpr unsigned max_links = 36;         // NVML_NVLINK_MAX_LINKS; Pascal has 4, Hopper 18
constexpr unsigned read_access = 0;        // NVML_P2P_CAPS_INDEX_READ
constexpr unsigned access_ok = 0;          // NVML_P2P_STATUS_OK
constexpr unsigned access_unknown = 6;     // NVML_P2P_STATUS_UNKNOWN
constexpr unsigned device_switch = 0x02;   // NVML_NVLINK_DEVICE_TYPE_SWITCH
constexpr unsigned device_unknown = 0xFF;  // NVML_NVLINK_DEVICE_TYPE_UNKNOWN

struct LinkApi {  // any may be missing
  nvml::Status (*pci)(Device, nvml::PciInfo*);
  nvml::Status (*common_ancestor)(Device, Device, unsigned*);
  nvml::Status (*peer_status)(Device, Device, unsigned, unsigned*);
  nvml::Status (*link_state)(Device, unsigned, unsigned*);
  nvml::Status (*link_version)(Device, unsigned, unsigned*);
  nvml::Status (*remote_pci)(Device, unsigned, nvml::PciInfo*);
  nvml::Status (*remote_type)(Device, unsigned, unsigned*);
};

std::optional<specs::GpuPath> path_of(unsigned level) {
  switch (level) {
    case 0:  // NVML_TOPOLOGY_INTERNAL
      return specs::GpuPath::internal;
    case 10:  // NVML_TOPOLOGY_SINGLE
      return specs::GpuPath::single_switch;
    case 20:  // NVML_TOPOLOGY_MULTIPLE
      return specs::GpuPath::multiple_switches;
    case 30:  // NVML_TOPOLOGY_HOSTBRIDGE
      return specs::GpuPath::host_bridge;
    case 40:  // NVML_TOPOLOGY_NODE, once NVML_TOPOLOGY_CPU
      return specs::GpuPath::numa_node;
    case 50:  // NVML_TOPOLOGY_SYSTEM
      return specs::GpuPath::system;
    default:
      return std::nullopt;
  }
}
// --- end of the ABI ---

LinkApi resolve_links(void* library) {
  LinkApi api{};
  nvml::resolve(library, "nvmlDeviceGetPciInfo_v3", api.pci);
  nvml::resolve(library, "nvmlDeviceGetTopologyCommonAncestor", api.common_ancestor);
  nvml::resolve(library, "nvmlDeviceGetP2PStatus", api.peer_status);
  nvml::resolve(library, "nvmlDeviceGetNvLinkState", api.link_state);
  nvml::resolve(library, "nvmlDeviceGetNvLinkVersion", api.link_version);
  nvml::resolve(library, "nvmlDeviceGetNvLinkRemotePciInfo_v2", api.remote_pci);
  nvml::resolve(library, "nvmlDeviceGetNvLinkRemoteDeviceType", api.remote_type);
  return api;
}

int generation_of_gpu(std::string_view compute_capability) {
  if (compute_capability == "6.0") return 1;                                   // Pascal
  if (compute_capability == "7.0" || compute_capability == "7.5") return 2;    // Volta, Turing
  if (compute_capability == "8.0" || compute_capability == "8.6") return 3;    // Ampere
  if (compute_capability == "9.0") return 4;                                   // Hopper
  if (compute_capability == "10.0" || compute_capability == "10.3") return 5;  // Blackwell
  return 0;
}

// The NVLink generation of a number that nvmlDeviceGetNvLinkVersion gives. nvml.h counts versions in an enum
// (4 is 3.0, 5 is 3.1, 6 is 4.0, 7 is 5.0), but many drivers hand the kernel module's numbers through
// (NV2080_CTRL_NVLINK_STATUS_NVLINK_VERSION_*: 5 is 3.0, 6 is 3.1, 7 is 4.0, 8 is 5.0): an A100 says 5
// (github.com/open-mpi/hwloc/issues/658), and so does an RTX 3090, meaning 3.1 (github.com/Syllo/nvtop/pull/469).
// So where both readings differ, the GPU decides.
std::optional<int> generation(unsigned number, std::string_view compute_capability) {
  constexpr std::array<int, 9> by_header{0, 1, 2, 2, 3, 3, 4, 5, 6};
  constexpr std::array<int, 9> by_kernel{0, 1, 2, 0, 2, 3, 3, 4, 5};
  if (number == 0 || number >= by_header.size()) return std::nullopt;
  if (by_header.at(number) == by_kernel.at(number)) return by_header.at(number);
  const int of_gpu = generation_of_gpu(compute_capability);
  const bool read =
      of_gpu != 0 && (of_gpu == by_header.at(number) || of_gpu == by_kernel.at(number));
  return read ? std::optional(of_gpu) : std::nullopt;
}

struct NvLinks {                    // the active ones of a GPU
  bool told = false;                // whether NVML says of any link if it is active
  bool ends_known = true;           // and of each active one where it ends,
  bool types_known = true;          // and in what
  std::vector<nvml::PciInfo> ends;  // those that are not known to be a switch
  int switches = 0;
  unsigned version = 0;  // NVML's number; 0 is none
};

void read_end(const LinkApi& api, Device device, unsigned link, NvLinks& links) {
  unsigned type = device_unknown;
  nvml::PciInfo end{};
  if (!answers(api.remote_type, device, link, &type) || type == device_unknown)
    links.types_known = false;
  if (type == device_switch)
    ++links.switches;
  else if (answers(api.remote_pci, device, link, &end))
    links.ends.push_back(end);
  else
    links.ends_known = false;
}

NvLinks read_nvlinks(const LinkApi& api, Device device) {
  NvLinks links;
  for (unsigned link = 0; link < max_links; ++link) {
    unsigned active = 0, version = 0;
    if (!answers(api.link_state, device, link, &active)) continue;  // it has no such link
    links.told = true;
    if (active == 0) continue;
    read_end(api, device, link, links);
    if (answers(api.link_version, device, link, &version)) links.version = version;
  }
  return links;
}

// By number: the text of an id has had four digits of the domain, then eight.
bool same_place(const nvml::PciInfo& a, const nvml::PciInfo& b) {
  return a.domain == b.domain && a.bus == b.bus && a.device == b.device;
}

std::optional<specs::GpuPath> path_between(const LinkApi& api, Device a, Device b) {
  unsigned level = 0;
  return answers(api.common_ancestor, a, b, &level) ? path_of(level) : std::nullopt;
}

std::optional<bool> may_read(const LinkApi& api, Device a, Device b) {
  unsigned status = access_unknown;
  if (!answers(api.peer_status, a, b, read_access, &status) || status == access_unknown)
    return std::nullopt;
  return status == access_ok;
}

std::optional<int> direct_links(const LinkApi& api, const NvLinks& from, Device to) {
  nvml::PciInfo place{};
  if (!from.told || !from.ends_known) return std::nullopt;
  if (from.ends.empty()) return 0;
  if (!answers(api.pci, to, &place)) return std::nullopt;
  return static_cast<int>(
      std::ranges::count_if(from.ends, [&](const auto& end) { return same_place(end, place); }));
}

std::optional<int> switch_links(const NvLinks& a, const NvLinks& b) {
  if (!a.told || !b.told || !a.types_known || !b.types_known) return std::nullopt;
  return std::min(a.switches, b.switches);
}

}  // namespace

std::vector<specs::GpuLink> read_gpu_links(void* library, const std::vector<Device>& devices,
                                           const std::vector<specs::Gpu>& gpus) {
  std::vector<specs::GpuLink> result;
  if (devices.size() < 2) return result;
  const LinkApi api = resolve_links(library);
  std::vector<NvLinks> nvlinks;
  for (const Device device : devices) nvlinks.push_back(read_nvlinks(api, device));
  for (std::size_t a = 0; a < devices.size(); ++a)
    for (std::size_t b = a + 1; b < devices.size(); ++b) {
      specs::GpuLink link{a, b};
      link.path = path_between(api, devices[a], devices[b]);
      link.nvlinks = direct_links(api, nvlinks[a], devices[b]);
      link.nvswitch = switch_links(nvlinks[a], nvlinks[b]);
      if (link.nvlinks.value_or(0) > 0 || link.nvswitch.value_or(0) > 0)
        link.nvlink_version = generation(nvlinks[a].version, gpus[a].compute_capability);
      link.peer_access = may_read(api, devices[a], devices[b]);
      if (link != specs::GpuLink{a, b}) result.push_back(link);
    }
  return result;
}

}  // namespace stackx::inspector
