#include "inspector/machine/noise/activity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace stackx::inspector {
namespace {

std::size_t count_processors(std::string_view stat) {
  std::size_t count = 0;
  for (const auto& line : words(stat, "\n"))
    count += line.size() > 3 && line.starts_with("cpu") && line[3] >= '0' && line[3] <= '9';
  return count;
}

std::map<int, ProcessTicks> read_processes(const Tree& tree) {
  std::map<int, ProcessTicks> result;
  for (const auto& name : tree.entries("/proc")) {
    const auto pid = parse_unsigned(name);
    if (!pid || *pid > std::numeric_limits<int>::max()) continue;
    if (auto process = parse_process(tree.text("/proc/" + name + "/stat").value_or("")))
      result.emplace(static_cast<int>(*pid), std::move(*process));
  }
  return result;
}

std::optional<std::uint64_t> read_swapped(const Tree& tree) {
  const auto text = tree.text("/proc/vmstat").value_or("");
  const auto in = value_of(text, "pswpin", ' '), out = value_of(text, "pswpout", ' ');
  if (!in || !out) return std::nullopt;
  return parse_unsigned(*in).value_or(0) + parse_unsigned(*out).value_or(0);
}

std::optional<std::uint64_t> read_too_hot(const Tree& tree, const std::vector<int>& cpus) {
  std::optional<std::uint64_t> sum;
  for (const int cpu : cpus)
    for (const char* counter : {"core_throttle_count", "package_throttle_count"})
      if (const auto events = tree.number(
              fmt::format("/sys/devices/system/cpu/cpu{}/thermal_throttle/{}", cpu, counter)))
        sum = sum.value_or(0) + *events;
  return sum;
}

// Counters that ran backwards are of another boot, or another group: nothing is known of between.
std::optional<std::uint64_t> growth(std::optional<std::uint64_t> before,
                                    std::optional<std::uint64_t> after) {
  if (!before || !after || *after < *before) return std::nullopt;
  return *after - *before;
}

std::uint64_t ticks_between(const Look& before, int pid, const ProcessTicks& now) {
  const auto then = before.processes.find(pid);
  if (then == before.processes.end() || then->second.started != now.started) return now.ticks;
  return growth(then->second.ticks, now.ticks).value_or(0);
}

}  // namespace

std::optional<ProcessTicks> parse_process(std::string_view stat) {
  const auto open = stat.find('('), close = stat.rfind(')');
  if (open == stat.npos || close == stat.npos || close < open) return std::nullopt;
  const auto fields = words(stat.substr(close + 1));  // from field 3, the state
  if (fields.size() < 20) return std::nullopt;
  const auto user = parse_unsigned(fields[11]), system = parse_unsigned(fields[12]),
             started = parse_unsigned(fields[19]);
  if (!user || !system || !started) return std::nullopt;
  return ProcessTicks{std::string(stat.substr(open + 1, close - open - 1)), *user + *system,
                      *started};
}

Look look(const Tree& tree, const std::vector<int>& cpus) {
  Look result;
  const auto stat = tree.text("/proc/stat").value_or("");
  result.time = parse_processor_time(stat);
  result.processors = count_processors(stat);
  result.processes = read_processes(tree);
  result.throttling = read_throttling(tree);
  result.swapped = read_swapped(tree);
  result.too_hot = read_too_hot(tree, cpus);
  return result;
}

Activity between(const Look& before, const Look& after, int self) {
  Activity result;
  result.steal = share_of_steal(before.time, after.time);
  if (before.throttling && after.throttling)
    result.throttled = growth(before.throttling->throttled, after.throttling->throttled);
  result.swapped = growth(before.swapped, after.swapped);
  result.too_hot = growth(before.too_hot, after.too_hot);
  if (!before.time || !after.time || after.time->total() <= before.time->total() ||
      after.processors == 0)
    return result;
  // Ticks that passed on one processor.
  const double passed = static_cast<double>(after.time->total() - before.time->total()) /
                        static_cast<double>(after.processors);
  double busy = static_cast<double>(growth(before.time->busy, after.time->busy).value_or(0));
  for (const auto& [pid, now] : after.processes) {
    const auto ticks = static_cast<double>(ticks_between(before, pid, now));
    if (pid == self)
      busy -= ticks;
    else if (ticks > 0)
      result.processes.push_back({pid, now.name, ticks / passed});
  }
  result.busy = std::max(busy, 0.0) / passed;
  std::ranges::stable_sort(result.processes, std::ranges::greater{}, &BusyProcess::cpus);
  return result;
}

}  // namespace stackx::inspector
