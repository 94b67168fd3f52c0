// Strategies that look at the rates measured so far (precision, race, learn) as a schedule for the
// campaign: cli composes what analysis computes with what the inspector runs.
//
// Arms of different workloads are never compared: each workload's arms are a field of their own. A
// sentinel and the arm it repeats measure the campaign's own noise: in a race they run in every round
// before the finals, otherwise they come and go together.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "campaigns/schedule.hpp"

namespace stackx::campaigns {

// As the plan's strategy says; for `fixed` the inspector's own. `unit`: what remarks call a round (on a
// cluster it is the mean of a block).
std::unique_ptr<Schedule> make_schedule(const specs::Plan& plan, const std::string& unit = "round");

// What the finals of a race said, on their fresh rounds alone; one line a workload, empty before the
// finals ran.
std::vector<std::string> final_lines(const specs::Plan& plan,
                                     const std::vector<specs::Inspection>& inspections,
                                     double delta, const std::string& unit = "round");

}  // namespace stackx::campaigns
