// What a machine does while one looks: two looks at its counters, and what happened between them.
//
// Only differences are used, and both sides of every share are ticks of the same clock, so no time
// is measured: processes against /proc/stat's total. A tick is 10 ms: over 0.3 s a share of a
// processor comes in steps of 3%. A process that ended between the looks is missing from
// `processes` but not from `busy`, and so are those that this container cannot see.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inspector/machine/cgroup.hpp"
#include "inspector/machine/processor_time.hpp"
#include "inspector/machine/tree.hpp"

namespace stackx::inspector {

struct ProcessTicks {
  std::string name;
  std::uint64_t ticks = 0;    // user and system
  std::uint64_t started = 0;  // tells a process from a later one with its number
};
// Of /proc/PID/stat, proc(5); the name may hold blanks and brackets. Nothing for other text.
std::optional<ProcessTicks> parse_process(std::string_view stat);

struct Look {
  std::optional<ProcessorTime> time;
  std::size_t processors = 0;  // that /proc/stat lists
  std::map<int, ProcessTicks> processes;
  std::optional<Throttling> throttling;
  std::optional<std::uint64_t> swapped;  // pages in and out, since boot
  std::optional<std::uint64_t> too_hot;  // thermal throttling events of `cpus`, since boot
};
Look look(const Tree& tree, const std::vector<int>& cpus);

struct BusyProcess {
  int pid = 0;
  std::string name;
  double cpus = 0;  // CPUs' worth of time: 1.5 is one and a half
};

struct Activity {
  // Absent if no tick passed, or /proc/stat is not shown.
  std::optional<double> busy;          // CPUs' worth of time of everybody else than `self`
  std::vector<BusyProcess> processes;  // that ran at all and are not `self`, busiest first
  std::optional<double> steal;         // share_of_steal
  std::optional<std::uint64_t> throttled, swapped, too_hot;  // events
};
Activity between(const Look& before, const Look& after, int self);

}  // namespace stackx::inspector
