// How much an upgrade changes the rate, by what others have published.
//
// A series holds the results of one source that agree in hardware, devices, workload, metric and stack,
// but for one component's version and what comes with it: the component is the topmost that the stack
// names (vllm, torch, ..., nccl, cuda), and what lies beneath it (CUDA and its libraries, the driver)
// may change along. MLPerf's series are one submitter's: one accelerator, number, benchmark and
// scenario; its versions are rounds, and two count where the stack changed between them. Several results
// of one version count as their median. Versions are ordered by PEP 440, else by their sources' dates.
//
// A ratio holds everything else that changed between two measurements: machines, drivers, months.
// Threads about regressions (evidence:github-issues) are left out: why they were written is that the
// newer was slower. Rejected: differences over all results of a version, which compare what different
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
