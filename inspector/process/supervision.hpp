// What stackx and stackx-supervise say to each other.
//
// Orders are the supervisor's arguments (supervise/main.cpp); its report comes back on descriptor 3
// as lines `key=value`, written once, after everything that the PI started is gone. Rejected: JSON,
// which would pull a library into a program that is PID 1 of every sandbox and should start in a
// millisecond.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace stackx::inspector {

struct Supervision {
  enum class End {
    exited,       // status: the exit code
    signalled,    // status: the signal; nobody here sent it
    not_started,  // status: the errno of exec
    deadline,
    memory,
    processes,  // more processes and threads than allowed
    disk,       // wrote more than allowed
    stopped,    // told so through the channel, or stackx died
  };
  End end = End::stopped;
  int status = 0;
  // CLOCK_MONOTONIC, the supervisor's first moment. Containers and namespaces of one kernel share that clock with us: only a
  // time namespace, which nobody here makes, would shift it, and a virtual machine has one of its own.
  std::int64_t began_ns = 0;
  std::int64_t start_ns = 0;     // CLOCK_REALTIME, just before the PI was forked
  std::int64_t duration_ns = 0;  // CLOCK_MONOTONIC, until the PI was reaped
  std::uint64_t peak_bytes = 0;  // highest sum over all processes that was seen
  std::uint64_t together_bytes = 0;  // the same, files and shared memory counted once; 0: there was never more than one
  std::uint64_t left = 0;        // processes that outlived the PI
  std::int64_t user_us = 0, system_us = 0, max_rss_kib = 0;
  std::int64_t minor_faults = 0, major_faults = 0, voluntary = 0, involuntary = 0;
};

std::string to_text(const Supervision& report);
// Nothing unless it is complete and every number can be one: a report is not believed, whoever wrote it.
std::optional<Supervision> supervision_from(const std::string& text);

}  // namespace stackx::inspector
