// What stackx-supervise is told: its command line.
//
//   --seconds S --memory BYTES --processes N --tasks N [--disk BYTES] [--cpus 0,1,...] [--user UID] [--counted]
//   [--own-namespace] [--mark WORD] [--writable DIRECTORY]... [--env NAME=VALUE]... -- PI ARGS...
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace stackx::supervise {

struct Orders {
  double seconds = 60;
  std::uint64_t memory = 0;  // bytes: of processes, /tmp and /dev/shm together
  std::uint64_t processes = 0;
  std::uint64_t tasks = 0;  // processes and threads
  std::uint64_t disk = 0;    // bytes that may lie in the writable directories together; 0: no limit
  uid_t user = 0;            // whom to run as, where the supervisor is root; 0: nobody else
  bool counted = false;      // a control group holds the run to these limits, too
  bool own_namespace = false;  // of users: what the kernel counts of a user is of this run
  cpu_set_t cpus;
  bool has_cpus = false;
  std::vector<const char*> writable;
  std::vector<char*> environment, argv;  // both end in nullptr
};

// Ends the program with a message for what is no order.
Orders parse_orders(int argc, char** argv);
[[noreturn]] void refuse_orders(const char* what);

}  // namespace stackx::supervise
