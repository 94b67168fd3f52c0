#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "inspector/machine/cgroup.hpp"
#include "inspector/machine/noise/checks.hpp"
#include "specs/format/printable.hpp"

namespace stackx::inspector {
namespace {

using enum NoiseVerdict;
constexpr double most_steal = 0.01;
constexpr std::size_t most_named = 3;  // processes

// What others may use before it counts: a tenth of a processor, or 2% of a large machine.
double most_busy(const Scene& scene) {
  return std::max(0.1, 0.02 * static_cast<double>(scene.processors));
}

std::optional<double> parse_load(const Tree& tree) {
  const auto fields = words(tree.line("/proc/loadavg").value_or(""));
  double load = 0;
  if (fields.empty()) return std::nullopt;
  const auto& text = fields.front();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), load);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return load;
}

std::uint64_t meminfo(const Tree& tree, const char* key) {
  const auto text = tree.text("/proc/meminfo").value_or("");
  const auto value = words(value_of(text, key, ':').value_or(""));  // "24684092 kB"
  return value.empty() ? 0 : parse_unsigned(value.front()).value_or(0) * 1024;
}

double gib(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

// Names come from other users' programs.
std::string busiest(const std::vector<BusyProcess>& processes) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most_named, processes.size()); ++i)
    text += fmt::format("{}{} {:.0f}% (pid {})", i == 0 ? "" : ", ", specs::printable(processes[i].name),
                        100 * processes[i].cpus, processes[i].pid);
  if (processes.size() > most_named)
    text += fmt::format(" and {} more", processes.size() - most_named);
  return text;
}

// No command with their ids: they may be other people's.
std::string wait_for_them(const std::vector<BusyProcess>& processes) {
  if (std::ranges::any_of(processes, [](const auto& process) { return process.cpus >= 0.1; }))
    return "wait until they end, ask who started them, or end those that are yours";
  return "they are not processes that can be seen here: of other containers, the kernel's, or too short-lived; look from the "
         "host (top)";
}

}  // namespace

Finding check_load(const Scene& scene) {
  constexpr const char* what = "load";
  const auto load = parse_load(scene.tree);
  if (!load || scene.processors == 0) return {what, "not shown", unknown, ""};
  const auto found = fmt::format("{:.2f} over the last minute, on {} processor{}", *load,
                                 scene.processors, scene.processors == 1 ? "" : "s");
  const double most = std::max(0.25, 0.1 * static_cast<double>(scene.processors));
  if (*load <= most) return {what, found, good, ""};
  return {
      what, found, noisy,
      fmt::format("wait until it is below {:.2f} (uptime shows it), and see who runs (top)", most)};
}

Finding check_others(const Scene& scene) {
  constexpr const char* what = "other processes";
  const auto& activity = scene.activity;
  if (!activity.busy) return {what, "not shown", unknown, ""};
  auto found = fmt::format("{:.2f} of {} processors busy", *activity.busy, scene.processors);
  if (!activity.processes.empty()) found += ": " + busiest(activity.processes);
  if (*activity.busy <= most_busy(scene)) return {what, found, good, ""};
  return {what, found, noisy, wait_for_them(activity.processes)};
}

Finding check_steal(const Scene& scene) {
  constexpr const char* what = "steal time";
  if (!scene.activity.steal) return {what, "not shown", unknown, ""};
  const auto& since_boot = *scene.now.time;
  const double now = *scene.activity.steal;
  const double boot =
      static_cast<double>(since_boot.steal.value_or(0)) / static_cast<double>(since_boot.total());
  const auto found = fmt::format("{:.1f}% now, {:.1f}% since boot", 100 * now, 100 * boot);
  if (now > most_steal || boot > most_steal)
    return {what, found + ": the hypervisor ran others instead", noisy,
            "ask the host's operator for CPUs without overcommitment; `stackx inspect` records it "
            "for each inspection"};
  const bool virtual_machine = scene.virtualization != "none";
  if (virtual_machine && since_boot.steal == 0u)
    return {what, "0 since boot: the hypervisor may not tell", unknown,
            "ask the host's operator whether the CPUs are shared"};
  return {what, found, good, ""};
}

Finding check_memory(const Scene& scene) {
  constexpr const char* what = "memory";
  const auto total = meminfo(scene.tree, "MemTotal"), free = meminfo(scene.tree, "MemAvailable");
  if (total == 0) return {what, "not shown", unknown, ""};
  const auto limit = read_limits(scene.tree).memory_bytes;
  auto found = fmt::format("{:.1f} of {:.1f} GiB available", gib(free), gib(total));
  if (limit && *limit < total)
    found += fmt::format("; control group's limit {:.1f} GiB", gib(*limit));
  if (free * 10 < total)
    return {what, found, noisy,
            "end what holds it (ps aux --sort=-rss): pages are reclaimed meanwhile"};
  if (limit && *limit < (std::uint64_t{1} << 30))
    return {
        what, found, noisy,
        "start the container with more (podman run --memory 4g): pages are reclaimed meanwhile"};
  return {what, found, good, ""};
}

Finding check_swap(const Scene& scene) {
  constexpr const char* what = "swap";
  if (!scene.tree.exists("/proc/meminfo")) return {what, "not shown", unknown, ""};
  const auto total = meminfo(scene.tree, "SwapTotal"), free = meminfo(scene.tree, "SwapFree");
  if (total == 0) return {what, "none", good, ""};
  const auto used = total - std::min(free, total);
  const auto now = scene.activity.swapped.value_or(0);
  auto found = fmt::format("{:.1f} of {:.1f} GiB in use", gib(used), gib(total));
  if (now > 0) found += fmt::format(", {} pages moved just now", now);
  if (now == 0 && used * 100 < total) return {what, found, good, ""};
  return {what, found, noisy,
          as_root(scene, "swapoff -a (if memory holds it: free -h), or end what holds the memory")};
}

std::optional<Finding> check_heat(const Scene& scene) {
  if (!scene.now.too_hot) return std::nullopt;
  const auto found = fmt::format("clock lowered {} times since boot, {} just now",
                                 *scene.now.too_hot, scene.activity.too_hot.value_or(0));
  if (*scene.now.too_hot == 0) return Finding{"heat", "never too hot since boot", good, ""};
  return Finding{"heat", found, noisy,
                 "cool the machine (fans, dust, room), or lower its power limit so that the clock "
                 "stays put"};
}

}  // namespace stackx::inspector
