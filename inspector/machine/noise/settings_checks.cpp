#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "inspector/machine/cgroup.hpp"
#include "inspector/machine/noise/checks.hpp"
#include "inspector/machine/platform.hpp"

namespace stackx::inspector {
namespace {

constexpr const char* cpu_root = "/sys/devices/system/cpu";
using enum NoiseVerdict;

bool is_virtual(const Scene& scene) {
  return scene.virtualization != "none" && scene.virtualization != "unknown";
}

std::string of_the_host(const Scene& scene, const std::string& what) {
  return is_virtual(scene) ? what + " is the host's to decide: ask its operator" : "";
}

bool contains(const std::vector<int>& cpus, int cpu) {
  return std::ranges::find(cpus, cpu) != cpus.end();
}

// Threads that share a core with one of `cpus`, are online and not among them.
std::vector<int> foreign_siblings(const Scene& scene) {
  std::set<int> found;
  for (const int cpu : scene.cpus)
    for (const int sibling : parse_cpu_list(
             scene.tree.line(fmt::format("{}/cpu{}/topology/thread_siblings_list", cpu_root, cpu))
                 .value_or("")))
      if (!contains(scene.cpus, sibling)) found.insert(sibling);
  return {found.begin(), found.end()};
}

}  // namespace

std::string cpu_list(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", cpus[i]);
    if (last > i) text += fmt::format("-{}", cpus[last]);
    i = last + 1;
  }
  return text;
}

std::string as_root(const Scene& scene, const std::string& command) {
  return fmt::format("as root{}: {}", scene.contained ? " outside of this container" : "", command);
}

Finding check_governor(const Scene& scene) {
  Finding finding{"CPU frequency governor", read_governor(scene.tree, scene.cpus), unknown, ""};
  if (finding.found == "unknown") {
    finding.found = "not shown";
    finding.advice = of_the_host(scene, "the clock");
    return finding;
  }
  finding.verdict = finding.found == "performance" ? good : noisy;
  if (finding.verdict == noisy)
    finding.advice = as_root(
        scene, fmt::format("echo performance | tee {}/cpu*/cpufreq/scaling_governor", cpu_root));
  return finding;
}

Finding check_turbo(const Scene& scene) {
  const auto turbo = read_turbo(scene.tree);
  if (turbo == "unknown") return {"turbo", "not shown", unknown, of_the_host(scene, "turbo")};
  if (turbo == "off") return {"turbo", "off", good, ""};
  const bool intel = scene.tree.exists(fmt::format("{}/intel_pstate/no_turbo", cpu_root));
  return {"turbo", "on: the clock follows temperature and the neighbours' load", noisy,
          as_root(scene, intel ? fmt::format("echo 1 > {}/intel_pstate/no_turbo", cpu_root)
                               : fmt::format("echo 0 > {}/cpufreq/boost", cpu_root))};
}

Finding check_siblings(const Scene& scene) {
  constexpr const char* what = "SMT siblings";
  if (!scene.tree.exists(fmt::format("{}/cpu{}/topology/thread_siblings_list", cpu_root,
                                     scene.cpus.empty() ? 0 : scene.cpus.front())))
    return {what, "not shown", unknown, ""};
  const auto siblings = foreign_siblings(scene);
  if (siblings.empty())
    return {what, fmt::format("none shares a core with CPU {}", cpu_list(scene.cpus)), good, ""};
  std::string command;
  if (siblings.size() > 2 || contains(siblings, 0))  // CPU 0 cannot be taken offline
    command = fmt::format("echo off > {}/smt/control", cpu_root);
  else
    for (const int cpu : siblings)
      command +=
          fmt::format("{}echo 0 > {}/cpu{}/online", command.empty() ? "" : "; ", cpu_root, cpu);
  return {
      what,
      fmt::format("CPU {} shares its core with CPU {}", cpu_list(scene.cpus), cpu_list(siblings)),
      noisy, as_root(scene, command)};
}

Finding check_virtualization(const Scene& scene) {
  constexpr const char* what = "virtualization";
  if (scene.virtualization == "none") return {what, "none", good, ""};
  if (!is_virtual(scene)) return {what, "not shown", unknown, ""};
  return {
      what, scene.virtualization + ": neighbours share caches, memory and cores", noisy,
      "ask the host's operator for CPUs of your own (pinned, without overcommitment), or measure "
      "on bare metal"};
}

Finding check_numa_balancing(const Scene& scene) {
  constexpr const char* what = "NUMA balancing";
  const auto nodes =
      parse_cpu_list(scene.tree.line("/sys/devices/system/node/online").value_or(""));
  if (nodes.size() == 1) return {what, "one node", good, ""};
  const auto mode = scene.tree.number("/proc/sys/kernel/numa_balancing");
  if (!mode) return {what, "not shown", unknown, ""};
  const auto found = fmt::format("{} over {} nodes", *mode == 0 ? "off" : "on", nodes.size());
  if (*mode == 0) return {what, found, good, ""};
  return {what, found + ": pages move while a workload runs", noisy,
          as_root(scene, "sysctl kernel.numa_balancing=0")};
}

Finding check_huge_pages(const Scene& scene) {
  constexpr const char* what = "transparent huge pages";
  constexpr const char* file = "/sys/kernel/mm/transparent_hugepage/enabled";
  const auto text = scene.tree.line(file).value_or("");  // "always [madvise] never"
  const auto open = text.find('['), close = text.find(']');
  if (open == text.npos || close == text.npos || close < open)
    return {what, "not shown", unknown, ""};
  const auto mode = text.substr(open + 1, close - open - 1);
  if (mode != "always") return {what, mode, good, ""};
  return {what, "always: whether a process gets them depends on how fragmented memory is", noisy,
          as_root(scene, fmt::format("echo madvise > {}", file))};
}

Finding check_cpu_set(const Scene& scene) {
  constexpr const char* what = "CPU set";
  if (scene.allowed.empty()) return {what, "not shown", unknown, ""};
  const auto isolated =
      parse_cpu_list(scene.tree.line(fmt::format("{}/isolated", cpu_root)).value_or(""));
  const bool alone = !scene.cpus.empty() && std::ranges::all_of(scene.cpus, [&](int cpu) {
    return contains(isolated, cpu);
  });
  auto found = fmt::format("inspections take CPU {} of {} (online: {})", cpu_list(scene.cpus),
                           cpu_list(scene.allowed), scene.processors);
  if (alone) return {what, found + ", isolated from the scheduler", good, ""};
  if (scene.cpus.size() < scene.allowed.size()) return {what, found, good, ""};
  return {
      what, found + ": none is left for the system and stackx itself", noisy,
      "use fewer threads than processors, or a larger CPU set (taskset, Slurm's --cpus-per-task, "
      "a container's --cpuset-cpus)"};
}

Finding check_quota(const Scene& scene) {
  constexpr const char* what = "CPU quota";
  const auto limit = read_limits(scene.tree).cpus;
  if (!limit) return {what, "none", good, ""};
  const auto& so_far = scene.now.throttling;
  auto found = fmt::format("{:.3g} CPUs' worth of time", *limit);
  if (so_far)
    found += fmt::format("; used up in {} of {} periods", so_far->throttled, so_far->periods);
  const bool often = so_far && so_far->throttled * 100 > so_far->periods;
  const bool now = scene.activity.throttled.value_or(0) > 0;
  if (*limit >= static_cast<double>(scene.cpus.size()) && !often && !now)
    return {what, found, good, ""};
  return {what, found, noisy,
          fmt::format("start the container with more (podman run --cpus {}), or with a CPU set "
                      "(--cpuset-cpus) in place of the quota: what used it up stands still for the "
                      "rest of each period",
                      scene.cpus.size() + 1)};
}

std::optional<Finding> check_battery(const Scene& scene) {
  for (const auto& supply : scene.tree.entries("/sys/class/power_supply")) {
    const auto directory = "/sys/class/power_supply/" + supply;
    if (scene.tree.line(directory + "/type") != "Battery") continue;
    if (scene.tree.line(directory + "/scope") == "Device") continue;  // a mouse
    const auto status = scene.tree.line(directory + "/status").value_or("unknown");
    if (status == "Discharging")
      return Finding{"battery", "the machine runs on it", noisy, "plug the machine in"};
    return Finding{"battery", status, good, ""};
  }
  return std::nullopt;
}

}  // namespace stackx::inspector
