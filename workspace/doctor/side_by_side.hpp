// Probes that wait for others (an index, a cluster, an engine, a disk), all at once.
//
// Each has a limit of its own for what it waits for. What cannot be limited (a driver or a network file system that hangs
// in the kernel) is given up here: its thread is left behind, and ends with the process. So a probe owns all that it uses.
// Rejected: std::async, whose futures wait for their threads.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "workspace/doctor/finding.hpp"

namespace stackx::workspace {

struct Probe {
  std::vector<std::string> of;  // what it finds, for where it does not come back
  std::function<Findings()> look;
};

// The findings in the order of the probes. One that throws tells of it; one that is not there in time is unknown.
Findings side_by_side(const std::vector<Probe>& probes, std::chrono::milliseconds patience);

}  // namespace stackx::workspace
