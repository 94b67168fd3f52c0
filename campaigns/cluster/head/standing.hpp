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
  std::uint64_t useful = 0;       // starts that brought a complete round
};

struct Standing {
  std::map<std::uint64_t, BlockStanding> blocks;  // those with any start
  std::uint64_t inspections = 0, failed = 0, rounds = 0;
  bool is_done(std::uint64_t block, std::uint64_t rounds_per_block) const;
};

// By target.
std::map<std::string, Standing> standing(const specs::ClusterCampaign& campaign, const store::Store& store);

// What strategies read of a target: each start that has complete rounds is one unit, numbered from 0, block after block. Of
// each arm it has one inspection, `round` being the unit's number: its rate is the geometric mean over the complete rounds
// in which the arm succeeded; if it did in none, it failed as it did last.
struct Joined {
  std::vector<specs::Inspection> inspections;  // outcome, samples, work, arm, sentinel and round alone
  std::uint64_t blocks = 0;
};
Joined joined_blocks(const specs::ClusterCampaign& campaign, const std::string& target, const store::Store& store);
// One start more, of which this was measured.
void join(Joined& joined, const specs::Plan& start, const std::vector<store::Measurement>& measured);

}  // namespace stackx::campaigns::cluster
