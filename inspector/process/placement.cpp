#include "inspector/process/placement.hpp"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

std::string first_line_of_file(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

std::map<int, int> nodes(const fs::path& sys) {
  std::map<int, int> result;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(sys / "devices/system/node", error)) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with("node") || name.size() < 5 || name[4] < '0' || name[4] > '9') continue;
    for (const int cpu : parse_cpu_list(first_line_of_file(entry.path() / "cpulist"))) {
      result[cpu] = std::stoi(name.substr(4));
    }
  }
  return result;
}

std::vector<int> affinity() {
  std::vector<int> result;
  // Machines with more than 1024 CPUs need a larger set: grow until the kernel is content.
  for (std::size_t cpus = CPU_SETSIZE; cpus <= (std::size_t{1} << 17); cpus *= 2) {
    cpu_set_t* set = CPU_ALLOC(cpus);
    const auto bytes = CPU_ALLOC_SIZE(cpus);
    CPU_ZERO_S(bytes, set);
    const bool fits = sched_getaffinity(0, bytes, set) == 0;
    for (std::size_t cpu = 0; fits && cpu < cpus; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, set)) result.push_back(static_cast<int>(cpu));
    }
    CPU_FREE(set);
    if (fits) break;
  }
  return result;
}

}  // namespace

std::vector<int> parse_cpu_list(const std::string& text) {
  std::vector<int> result;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    int from = 0, to = 0;
    char dash = 0;
    std::istringstream range(part);
    if (!(range >> from) || from < 0) continue;
    if (!(range >> dash >> to) || dash != '-') to = from;
    for (int cpu = from; cpu <= to && to - from < 1 << 17; ++cpu) result.push_back(cpu);
  }
  return result;
}

std::vector<Processor> usable_processors(const fs::path& sys) {
  const auto node_of = nodes(sys);
  std::vector<Processor> result;
  for (const int cpu : affinity()) {
    Processor processor{cpu, 0, cpu};
    if (const auto found = node_of.find(cpu); found != node_of.end())
      processor.node = found->second;
    const auto topology = sys / "devices/system/cpu" / ("cpu" + std::to_string(cpu)) / "topology";
    const auto siblings = parse_cpu_list(first_line_of_file(topology / "thread_siblings_list"));
    if (!siblings.empty()) processor.core = *std::min_element(siblings.begin(), siblings.end());
    result.push_back(processor);
  }
  return result;
}

std::vector<Processor> share_of(std::vector<Processor> processors, std::size_t block,
                                std::size_t of) {
  std::set<std::pair<int, int>> distinct;
  for (const auto& p : processors) distinct.insert({p.node, p.core});
  if (of <= 1 || distinct.size() < of) return processors;
  const std::vector<std::pair<int, int>> cores(distinct.begin(), distinct.end());
  const std::set<std::pair<int, int>> mine(
      cores.begin() + static_cast<std::ptrdiff_t>(cores.size() * block / of),
      cores.begin() + static_cast<std::ptrdiff_t>(cores.size() * (block + 1) / of));
  std::erase_if(processors, [&](const Processor& p) { return !mine.contains({p.node, p.core}); });
  return processors;
}

std::vector<int> place(const std::vector<Processor>& processors, std::size_t count) {
  struct Ranked {
    int sibling;  // 0: first of its core
    int node_rank, number;
  };
  std::map<int, std::set<int>> cores_of_node;
  for (const auto& p : processors) cores_of_node[p.node].insert(p.core);

  // Nodes in the order in which they are filled: the highest that holds everything comes first.
  std::vector<int> order;
  for (const auto& [node, cores] : cores_of_node) order.insert(order.begin(), node);
  std::stable_partition(order.begin(), order.end(),
                        [&](int node) { return cores_of_node[node].size() >= count; });

  std::map<int, int> taken;  // per core
  std::vector<Processor> descending = processors;
  std::sort(descending.begin(), descending.end(),
            [](const Processor& a, const Processor& b) { return a.number > b.number; });
  std::vector<Ranked> ranked;
  for (const auto& p : descending) {
    const auto rank = std::find(order.begin(), order.end(), p.node) - order.begin();
    ranked.push_back({taken[p.core]++, static_cast<int>(rank), p.number});
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    return std::pair(a.sibling, a.node_rank) < std::pair(b.sibling, b.node_rank);
  });
  if (count != 0 && count < ranked.size()) ranked.resize(count);
  std::vector<int> result;
  for (const auto& r : ranked) result.push_back(r.number);
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace stackx::inspector
