#include "analysis/workload_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace stackx::analysis {

specs::Workload choose_workload(const std::vector<store::Measurement>& measurements,
                                const specs::Workload& asked, std::vector<std::string>& notes) {
  struct Measured {
    std::set<specs::Stack> able;  // with an inspection that ended well
    std::size_t inspections = 0;
  };
  std::map<specs::Workload, Measured> found;
  for (const store::Measurement& m : measurements) {
    if (!asked.matches(m.workload)) continue;
    Measured& measured = found[m.workload];
    ++measured.inspections;
    if (m.outcome == specs::Outcome::ok) measured.able.insert(m.stack);
  }
  if (found.empty() || found.contains(asked)) return asked;
  const auto most = std::ranges::max_element(found, {}, [](const auto& entry) {
    return std::pair(entry.second.able.size(), entry.second.inspections);
  });
  for (const auto& [workload, measured] : found)
    if (workload != most->first)
      notes.push_back(fmt::format("also measured: --workload {} ({} inspections)", workload.text(),
                                  measured.inspections));
  return most->first;
}

}  // namespace stackx::analysis
