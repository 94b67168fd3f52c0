// How the processors of this machine spent their time, as the first line of /proc/stat counts it;
// above all the steal: time in which the hypervisor ran something else while a virtual processor
// had work to do.
//
//   cpu  user nice system idle iowait irq softirq steal guest guest_nice     (proc(5), ticks)
//
// guest and guest_nice are part of user and nice already. The counters are of all processors
// together and tick 100 times a second, so the share of a run of 0.1 s on two processors comes in
// steps of 5%: short runs say "some" or "none", campaigns average. Rejected: the steal of only the
// processors that the PI may use, which is more to the point but coarser still; and
// /proc/PID/schedstat, whose wait time mixes the hypervisor with the neighbours in this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stackx::inspector {

class Tree;

struct ProcessorTime {     // ticks since boot
  std::uint64_t busy = 0;  // user, nice, system, irq, softirq: somebody in this machine ran
  std::uint64_t idle = 0;  // idle, iowait
  std::optional<std::uint64_t> steal;  // absent before Linux 2.6.11
  std::uint64_t total() const { return busy + idle + steal.value_or(0); }
};

// Nothing if the text has no line "cpu" with at least user, nice, system and idle.
std::optional<ProcessorTime> parse_processor_time(std::string_view proc_stat);
std::optional<ProcessorTime> read_processor_time(const Tree& tree);

// Steal over all time that passed between the two, 0 to 1. Nothing where a side is missing or has
// no steal, no tick passed, or the steal ran backwards (which it does when a virtual machine is
// moved).
std::optional<double> share_of_steal(const std::optional<ProcessorTime>& before,
                                     const std::optional<ProcessorTime>& after);

}  // namespace stackx::inspector
