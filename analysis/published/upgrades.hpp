// How much an upgrade changes the rate, by what others have published.
//
// Counted in series of versions (version_series.hpp): one source, hardware, workload and stack but for one component's
// version and what comes with it. Two rounds of MLPerf count where the stack changed between them.
//
// A ratio holds everything else that changed between two measurements: machines, drivers, months.
// Rejected: differences over all results of a version, which compare what different
// people measured; confidence intervals, which workloads of one network and one day do not allow.
#pragma once

#include <string>
#include <vector>

#include "analysis/questions/answer.hpp"
#include "specs/hardware/accelerator.hpp"
#include "specs/hardware/processor.hpp"
#include "specs/result/published.hpp"
#include "specs/result/upgrade.hpp"

namespace stackx::analysis {

// By component, then architecture.
std::vector<specs::Upgrade> upgrades(const std::vector<specs::Published>& results,
                                     const specs::Accelerators& accelerators,
                                     const specs::Processors& processors);

// How often taking the newest version was right; n = 0: nobody published enough.
struct UpgradeOdds {
  std::size_t n = 0;   // workloads with three versions or more
  double within = 0;   // share of those where the newest is within 3 % of the best
  std::vector<std::string> sources;  // titles
};
// Of `component` on `architecture` ("": on any).
UpgradeOdds odds_of_newest(const std::vector<specs::Upgrade>& upgrades, const std::string& component,
                           const std::string& architecture);

// As a question of `stackx query` is answered. `about`: " on v100", " of matmul" or nothing.
Answer upgrades_answer(const std::vector<specs::Upgrade>& upgrades, const std::string& component,
                       const std::string& about, std::size_t limit);

}  // namespace stackx::analysis
