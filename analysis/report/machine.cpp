#include "analysis/report/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/ranking/placement.hpp"
#include "analysis/text/gpu_links.hpp"
#include "analysis/text/words.hpp"

namespace stackx::analysis {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

std::string or_unknown(const std::string& text) { return text.empty() ? "unknown" : text; }

std::string gib(std::uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1024.0 * 1024 * 1024));
}

std::string processors(const specs::Cpu& cpu) {
  std::string text = fmt::format(
      "{}, {} ({} online), {}, {}", counted(cpu.cores, "core"), counted(cpu.threads, "thread"),
      cpu.threads_online, counted(cpu.packages, "socket"), counted(cpu.numa_nodes, "NUMA node"));
  if (cpu.quota) text += fmt::format("; limited to the time of {:g} processors", *cpu.quota);
  return text;
}

std::string caches(const specs::Cpu& cpu) {
  std::vector<std::string> texts;
  for (const specs::Cache& cache : cpu.caches)
    texts.push_back(fmt::format("{} x L{} {} {} KiB", cache.instances, cache.level, cache.type,
                                cache.bytes / 1024));
  return or_unknown(fmt::format("{}", fmt::join(texts, ", ")));
}

std::string memory(const specs::Host& host) {
  return gib(host.memory_bytes) +
         (host.memory_limit_bytes ? ", limited to " + gib(*host.memory_limit_bytes) : "");
}

std::string gpus(const specs::Host& host) {
  std::vector<std::string> texts;
  for (const specs::Gpu& gpu : host.gpus)
    texts.push_back(fmt::format("{} ({})", gpu.model, gib(gpu.memory_bytes)));
  if (!texts.empty()) {
    std::string text = fmt::format("{}; driver {}", fmt::join(texts, ", "), host.driver);
    for (const std::string& links : gpu_links_texts(host)) text += "; " + links;
    return text;
  }
  return host.gpu_note.empty() ? "none" : "none seen: " + host.gpu_note;
}

Facts facts_of(const specs::Inspection& inspection) {
  const specs::Host& host = inspection.host;
  return {{"CPU", or_unknown(host.cpu.model)},
          {"Microarchitecture", or_unknown(host.cpu.microarchitecture)},
          {"Processors", processors(host.cpu)},
          {"Caches", caches(host.cpu)},
          {"Memory", memory(host)},
          {"Frequency governor", or_unknown(host.governor)},
          {"Turbo", or_unknown(host.turbo)},
          {"Virtualization", or_unknown(host.virtualization)},
          {"Inside a container", host.container.empty() ? "none seen" : host.container},
          {"Operating system", or_unknown(host.os + " " + host.os_version)},
          {"Kernel", or_unknown(host.kernel)},
          {"C library", or_unknown(host.libc)},
          {"GPUs", gpus(host)},
          {"Runner", or_unknown(inspection.runner)},
          {"stackx", or_unknown(inspection.stackx_version)},
          {"Host name", or_unknown(host.hostname)}};
}

}  // namespace

std::vector<Machine> machines(const std::vector<const store::Measurement*>& measurements,
                              const FindDocument& document) {
  std::map<std::pair<std::string, NodeId>, std::vector<const store::Measurement*>> runs;
  for (const auto* m : measurements) runs[{m->campaign, node_of(*m)}].push_back(m);
  std::vector<Machine> result;
  for (const auto& [key, list] : runs) {
    const auto* first = *std::ranges::min_element(
        list, {}, [](const auto* m) { return std::tie(m->finished, m->inspection); });
    const auto found = document(*first);
    if (!found) continue;
    Facts facts = facts_of(*found);
    auto same = std::ranges::find(result, facts, &Machine::facts);
    if (same == result.end()) same = result.insert(result.end(), Machine{{}, 0, std::move(facts)});
    same->campaigns.push_back(key.first);
    same->inspections += list.size();
  }
  return result;
}

}  // namespace stackx::analysis
