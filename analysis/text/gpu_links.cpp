#include "analysis/text/gpu_links.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "analysis/text/words.hpp"

namespace stackx::analysis {
namespace {

using specs::GpuLink;
using specs::GpuPath;

std::string path_text(const GpuLink& link) {
  if (!link.path) return "over a path that is not known";
  switch (*link.path) {
    case GpuPath::internal:
      return "on one board";
    case GpuPath::single_switch:
      return "through one PCIe switch";
    case GpuPath::multiple_switches:
      return "through several PCIe switches";
    case GpuPath::host_bridge:
      return "through the host bridge";
    case GpuPath::numa_node:
      return "between host bridges of a NUMA node";
    case GpuPath::system:
      break;
  }
  return "across NUMA nodes";
}

std::string pcie_text(const specs::Gpu& a, const specs::Gpu& b) {
  if (!a.pcie || !b.pcie) return "";
  return fmt::format(" (PCIe {}.0 x{})", std::min(a.pcie->generation, b.pcie->generation),
                     std::min(a.pcie->width, b.pcie->width));
}

std::string version_text(const GpuLink& link) {
  return link.nvlink_version ? fmt::format(" (version {})", *link.nvlink_version) : "";
}

std::string way(const GpuLink& link, const specs::Host& host) {
  const std::string access = link.peer_access == false ? ", no peer access" : "";
  if (link.nvlinks.value_or(0) > 0)
    return counted(*link.nvlinks, "NVLink") + version_text(link) + access;
  if (link.nvswitch.value_or(0) > 0)
    return counted(*link.nvswitch, "NVLink") + " through NVSwitch" + version_text(link) + access;
  return path_text(link) + pcie_text(host.gpus[link.a], host.gpus[link.b]) + access;
}

}  // namespace

std::vector<std::string> gpu_links_texts(const specs::Host& host) {
  std::vector<std::pair<std::string, std::vector<std::string>>> ways;
  for (const auto& link : host.gpu_links) {
    const std::string text = way(link, host);
    auto same = std::ranges::find(ways, text, [](const auto& entry) { return entry.first; });
    if (same == ways.end()) same = ways.insert(ways.end(), {text, {}});
    same->second.push_back(fmt::format("{}-{}", link.a, link.b));
  }
  const std::size_t all = host.gpus.size() * (host.gpus.size() - 1) / 2;
  std::vector<std::string> texts;
  for (const auto& [text, pairs] : ways)
    texts.push_back(pairs.size() == all && all > 1
                        ? text + ": every pair of GPUs"
                        : fmt::format("{}: GPU {}", text, fmt::join(pairs, ", ")));
  return texts;
}

}  // namespace stackx::analysis
