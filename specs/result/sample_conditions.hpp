// What a GPU was like at each sample of an inspection, as NVML told right after it: columns as long
// as samples_ns, and the samples during which something held its clocks down.
//
//   "conditions": {"sm_clock_mhz": [1410, 1410], "power_w": [398.2, 401.7], "throttle": [0, 4]},
//   "throttled": [1]
//
// Columns: sm_clock_mhz, memory_clock_mhz, temperature_c, power_w, energy_j (since the driver was
// loaded), gpu_utilization_percent (of the driver's last sampling period, 1/6 to 1 s, in which a
// kernel ran), throttle (NVML's bit mask of clocks-event reasons); what the driver does not give is
// absent. `throttled` leaves out the reasons that slow nothing: idle, clocks set by the user, a
// display. Absent where no GPU was measured.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace stackx::specs {

class Node;

struct SampleConditions {
  std::map<std::string, std::vector<double>> columns;
  std::vector<std::uint64_t> throttled;  // indices of samples, increasing
};

inline constexpr std::uint64_t harmless_throttling = 0x1 | 0x2 | 0x100;  // idle, set, a display

// "power cap, heat": NVML's clocks-event reasons in words; the numbers of those unknown here.
std::string throttle_reasons(std::uint64_t mask);

// Reads "conditions" and "throttled" of `document`; throws Error(bad_input) where a column has not
// one number for each of `samples`, or an index names none of them.
SampleConditions sample_conditions_from(const Node& document, std::size_t samples);
void put(nlohmann::json& document, const SampleConditions& conditions);

}  // namespace stackx::specs
