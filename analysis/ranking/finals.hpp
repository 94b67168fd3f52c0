// Where the finals of races began: replays each race (analysis/ranking/race.hpp) over what was measured.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/ranking/rates.hpp"
#include "specs/project/campaign.hpp"

namespace stackx::analysis {

// `races`: the campaigns that raced, by id. The measurements must hold all of theirs, of one
// workload. Races that have not come to their finals are left out.
Finals first_fresh_rounds(const std::vector<const store::Measurement*>& measurements,
                          const std::map<std::string, specs::CampaignSpec>& races);

}  // namespace stackx::analysis
