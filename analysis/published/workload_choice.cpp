#include "analysis/published/workload_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace stackx::analysis {

specs::Workload choose_workload(const std::map<specs::Workload, WorkloadTally>& measured,
                                const specs::Workload& asked, std::vector<std::string>& notes) {
  if (measured.empty() || measured.contains(asked)) return asked;
  const auto most = std::ranges::max_element(measured, {}, [](const auto& entry) {
    return std::pair(entry.second.stacks, entry.second.inspections);
  });
  for (const auto& [workload, tally] : measured)
    if (workload != most->first)
      notes.push_back(fmt::format("also measured: --workload {} ({} inspections)", workload.text(),
                                  tally.inspections));
  return most->first;
}

specs::Workload choose_workload(const std::vector<store::Measurement>& measurements,
                                const specs::Workload& asked, std::vector<std::string>& notes) {
  std::map<specs::Workload, WorkloadTally> measured;
  std::map<specs::Workload, std::set<specs::Stack>> able;
  for (const store::Measurement& m : measurements) {
    if (!asked.matches(m.workload)) continue;
    ++measured[m.workload].inspections;
    if (m.outcome == specs::Outcome::ok) able[m.workload].insert(m.stack);
  }
  for (auto& [workload, tally] : measured) tally.stacks = able[workload].size();
  return choose_workload(measured, asked, notes);
}

}  // namespace stackx::analysis
