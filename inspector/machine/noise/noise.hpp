// What makes measurements on this machine noisy, looked at before a campaign starts, and what to
// change.
//
// Each check is one finding: good, noisy or unknown (the system does not show it). Noisy means that
// rates are expected to scatter or drift because of it; it never stops a campaign, since rounds are
// interleaved and the comparison is paired. Some checks look twice, 0.3 s apart, at what other
// processes and the hypervisor do. Rejected: one number for all; it would hide what can be changed.
// Address space randomisation is not looked at: each inspection is a process of its own, so its
// effect is part of the spread that is measured.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "specs/project/plan.hpp"

namespace stackx::inspector {

enum class NoiseVerdict { good, noisy, unknown };
const char* to_string(NoiseVerdict verdict);  // "good", ...

struct Finding {
  std::string what;   // "CPU frequency governor"
  std::string found;  // "powersave"
  NoiseVerdict verdict = NoiseVerdict::unknown;
  std::string advice;  // a command that works, or whom to ask; empty when good
};

struct NoiseReport {
  std::vector<int> cpus;  // that were looked at
  std::vector<Finding> findings;
};

// Where the checks look; the defaults are this machine, tests give fake trees and change them in
// `wait`.
struct NoiseSources {
  std::filesystem::path root = "/";  // of /proc and /sys
  std::string hypervisor;            // what CPUID calls it; the caller asks hypervisor_signature()
  std::function<void()> wait;        // between the two looks; empty: 0.3 s
};

// `cpus`: those that an inspection will be given (place() of inspector/process/placement.hpp).
NoiseReport look_for_noise(const NoiseSources& sources, const std::vector<int>& cpus);
// This machine, for inspections of `threads` threads (0: on all CPUs), or for the widest of a
// plan's.
NoiseReport look_for_noise(std::size_t threads);
NoiseReport look_for_noise(const specs::Plan& plan);

nlohmann::json to_json(const NoiseReport& report);
std::string tally(const NoiseReport& report);  // "8 of 13 checks good, 3 noisy, 2 unknown; for inspections on CPU 1"
// The noisy ones, a line each, and how many checks were quiet.
std::string summary(const NoiseReport& report);

}  // namespace stackx::inspector
