// What was drawn while a PI measured, as a counter of the machine told, and what of it the machine draws anyway.
//
//   "energy": {"rapl": {"counters": ["package-0", "package-0 dram"], "covers": "machine", "joules": 151.2, "seconds": 2.01,
//                       "updates": 40, "idle_watts": 31.5, "idle_share": 0.4188}}
//
// Sources: rapl, the processors' (covers: every process of the machine, the PI's among them), and nvml, a GPU's (the device,
// whoever uses it). `joules` are gross, of all the PI's phases `measure` (`seconds` together), by so many updates of the counter;
// `idle_watts` were drawn before the first PI of that stackx began, absent where nobody could tell. Of fewer than least_updates
// nothing is recorded: a counter moves in steps, and each end of the phase is somewhere within one.
// Rejected: joules per sample in the document, which hides what was taken off; taking off what is drawn between samples,
// which libraries' own threads, still spinning, are part of.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace stackx::specs {

class Node;
struct Inspection;

struct Energy {
  std::vector<std::string> counters;
  double joules = 0, seconds = 0;
  std::uint64_t updates = 0;
  std::optional<double> idle_watts;

  double idle_joules() const { return idle_watts.value_or(0) * seconds; }
};
using Energies = std::map<std::string, Energy>;  // by source

inline constexpr const char *rapl_source = "rapl", *nvml_source = "nvml";
inline constexpr std::uint64_t least_updates = 20;

nlohmann::json to_json(const Energies& energies);
Energies energies_from(const Node& node);  // the member `energy`

// Of one operation: net of idle draw where that is known.
struct EnergyOfRun {
  double joules = 0;
  std::optional<double> idle_share;  // that was taken off; absent: nobody could tell, so that it is in `joules`
};
// A GPU's inspection by its GPU's counter, others by the processors'. Nothing where the samples are not what the phases
// lasted for, of a scenario (whose phase is a search), and where idle draw is all there was.
std::optional<EnergyOfRun> energy_of_run(const Inspection& inspection);

}  // namespace stackx::specs
