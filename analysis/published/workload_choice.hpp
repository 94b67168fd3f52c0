// Which workload is meant where parameters were left open.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "store/store.hpp"

namespace stackx::analysis {

struct WorkloadTally {
  std::size_t stacks = 0;  // with an inspection that ended well
  std::uint64_t inspections = 0;
};

// Of the workloads measured that match: the one that most stacks can do, among those the one with the
// most inspections; the others become notes. `asked` itself if it was measured, or nothing matches.
specs::Workload choose_workload(const std::vector<store::Measurement>& measurements,
                                const specs::Workload& asked, std::vector<std::string>& notes);
specs::Workload choose_workload(const std::map<specs::Workload, WorkloadTally>& measured,
                                const specs::Workload& asked, std::vector<std::string>& notes);

}  // namespace stackx::analysis
