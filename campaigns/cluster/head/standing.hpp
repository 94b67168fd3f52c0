// How far a campaign is, from the store alone: the truth that no scheduler's word changes.
//
// A block is done when the store holds its rounds, of whatever starts: complete rounds of a start that the scheduler takes for
// dead are as good as any.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "specs/project/cluster_campaign.hpp"
#include "specs/result/inspection.hpp"
#include "store/store.hpp"

namespace stackx::campaigns::cluster {

struct BlockStanding {
  std::uint64_t rounds = 0;       // complete ones
  std::uint64_t inspections = 0, failed = 0, starts = 0;
};

struct Standing {
  std::map<std::uint64_t, BlockStanding> blocks;  // those with any start
  std::uint64_t inspections = 0, failed = 0, rounds = 0;
  bool is_done(std::uint64_t block, std::uint64_t rounds_per_block) const;
};

// By target.
std::map<std::string, Standing> standing(const specs::ClusterCampaign& campaign, const store::Store& store);

// The complete rounds of a target as one campaign's: block after block, numbered from 0, which is what strategies that look at
// rates read. `rounds`: how many.
struct Joined {
  std::vector<specs::Inspection> inspections;  // outcome, samples, work, arm and round alone
  std::uint64_t rounds = 0;
};
Joined joined_rounds(const specs::ClusterCampaign& campaign, const std::string& target, const store::Store& store);

}  // namespace stackx::campaigns::cluster
