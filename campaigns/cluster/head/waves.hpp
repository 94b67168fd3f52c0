// Strategies on a cluster: `fixed` has one wave of blocks, in which all arms run; `precision`, `race` and `learn` decide
// between waves, from all complete rounds so far, which arms run in the next.
//
// A strategy's unit here is the block: what is a round to it on one machine is the mean of a block's rounds (standing.hpp). What
// a stack gains or loses on one node is shared by all rounds of a block, so they are not independent, which a race's statement
// needs; blocks on different nodes are. A project's rounds, and those of finals, are therefore counted in blocks: as many as
// hold so many rounds, but at least the 2 that a race looks at, and the 6 of a verdict.
//
// A strategy looks seldomer than it may: once a wave. Its statement is about all looks that it could have made, of which those
// between waves are some; a race that would have let an arm go within a wave has measured it a few blocks more, and finals
// count what is fresh at the block where they began. Blocks of several nodes stand in one row: arms are compared within
// blocks, so a slow node moves no arm against another. What a wave decided is written down and stays, also when blocks that
// were late would have decided otherwise.
//
// What is measured of it (bench/statistics, race_waves.cpp; 12 arms, the best 1% ahead at 3% noise, stated error 5%, 8 blocks of
// 4 rounds, n = 1,000 each): levels of nodes and blocks cost nothing (best lost in 0.2%). With an SD of stack x node of half
// the noise within a round the best over all nodes is lost in 2.1% on 8 nodes (were rounds the unit: 8.4%) and 0.4% on 32
// (3.3%), for 14% more inspections; with as much as the noise in 9.0% (41%) and 2.3% (32%). Few nodes do not tell of all, and
// there the statement does not hold, whatever the unit: half of the noise loses 4.7% on 4 of them, 19% on 2, 45% on one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "campaigns/cluster/head/standing.hpp"
#include "specs/project/cluster_campaign.hpp"

namespace stackx::campaigns::cluster {

struct NextWave {
  std::vector<std::string> arms;     // labels; empty: the strategy has what it wants
  std::vector<std::string> remarks;  // who left, and why
};

// After `wave` waves have been measured (0: none): what the next one runs.
NextWave next_wave(const specs::FrozenTarget& target, const specs::ClusterSettings& settings, std::uint64_t wave,
                   const Joined& measured);

// What the finals of a race said.
std::vector<std::string> final_words(const specs::FrozenTarget& target, const specs::ClusterSettings& settings,
                                     const Joined& measured);

}  // namespace stackx::campaigns::cluster
