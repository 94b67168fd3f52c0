// Where the finals of races began, and who had left: replays each race (analysis/ranking/race.hpp) over what was
// measured.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/ranking/rates.hpp"
#include "specs/project/campaign.hpp"

namespace stackx::analysis {

struct RaceEnds {
  Finals finals;                // races that have not come to their finals are left out
  std::set<std::string> left;  // ids of stacks that were shown to be behind, and are finalists of none
};

// `races`: the campaigns that raced, by id. The measurements must hold all of theirs, of one
// workload.
RaceEnds race_ends(const std::vector<const store::Measurement*>& measurements,
                   const std::map<std::string, specs::CampaignSpec>& races);
Finals first_fresh_rounds(const std::vector<const store::Measurement*>& measurements,
                          const std::map<std::string, specs::CampaignSpec>& races);

}  // namespace stackx::analysis
