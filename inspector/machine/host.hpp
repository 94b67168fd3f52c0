// Detects the machine at hand: hwloc for topology, /proc and /sys for the rest, NVML loaded at run
// time for GPUs.
#pragma once

#include <filesystem>
#include <string>

#include "inspector/machine/platform.hpp"
#include "specs/hardware/hardware.hpp"
#include "specs/hardware/microarchitecture.hpp"

namespace stackx::inspector {

// Never fails because something is not shown: unknown stays "unknown" or empty, with the reason
// where it helps. `data_directory` holds microarchitectures.json (specs/data); throws Error if that
// is missing or broken.
specs::Host detect_host(const std::filesystem::path& data_directory);

// Where detection looks; the defaults are this machine, tests give fake trees.
struct HostSources {
  std::filesystem::path root = "/";        // of /proc, /sys, /etc, /run
  std::string nvml = "libnvidia-ml.so.1";  // name or path
  std::string hypervisor;  // what CPUID calls it; the caller asks hypervisor_signature()
  VersionText version_text = run_for_version;
};
specs::Host detect_host(const specs::Microarchitectures& table, const HostSources& sources);

// Load average over one minute, now; 0 if the system does not say.
double load_now();

}  // namespace stackx::inspector
