// Which rounds of a start are complete: every arm has its result in them, or can have none.
//
// Only complete rounds count for a block. An arm whose environment cannot be made, or that the machine cannot run, has its
// result in an earlier round (campaign.hpp) and is not waited for. What an incomplete round holds is kept, as data.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "specs/project/plan.hpp"
#include "specs/result/outcome.hpp"

namespace stackx::campaigns::cluster {

struct Result {
  std::uint64_t round = 0;
  std::string arm;
  specs::Outcome outcome = specs::Outcome::ok;
};

std::set<std::uint64_t> complete_rounds(const specs::Plan& plan, const std::vector<Result>& results);

}  // namespace stackx::campaigns::cluster
