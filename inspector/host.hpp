// Detects the machine at hand: hwloc for topology, /proc and /sys for the rest, NVML loaded at run time for GPUs.
#pragma once

#include <filesystem>

#include "specs/hardware.hpp"

namespace stackx::inspector {

// Never fails because something is not shown: unknown stays "unknown" or empty, with the reason where it helps.
specs::Host detect_host();

// Load average over one minute, now.
double load_now();

}  // namespace stackx::inspector
