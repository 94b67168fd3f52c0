// Strategies on a cluster: `fixed` has one wave of blocks, in which all arms run; `precision`, `race` and `learn` decide
// between waves, from all complete rounds so far, which arms run in the next.
//
// Within a block rounds are fixed, so a strategy looks seldomer than it may: once a wave. Its statement is about all looks that
// it could have made, of which those between waves are some; a race that would have let an arm go within a wave has measured
// it a few rounds more, and finals count what is fresh at the round where they began. Rounds of several nodes stand in one
// row: arms are compared within rounds, so a slow node moves no arm against another. What a wave decided is written down and
// stays, also when rounds that were late would have decided otherwise.
//
// What is measured of it (bench/statistics, race_waves.cpp; 12 arms, the best 1% ahead at 3% noise, stated error 5%, n = 1,000 each):
// levels of nodes and blocks cost nothing (best lost in 0.5%). What a stack gains or loses on one node alone is outside of the
// statement: rounds of one block share it. With an SD of a quarter of the noise within a round the best over all nodes is
// lost in 0.8% (8 nodes, 8 blocks of 4 rounds), with half of it in 8.4% (3.3% on 32 nodes, 39% on one): there the statement
// does not hold, and with as much as the noise in 41%. Blocks of one round keep it (half of it: 0.9%).
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
NextWave next_wave(const specs::FrozenTarget& target, std::uint64_t wave, const Joined& measured);

// What the finals of a race said.
std::vector<std::string> final_words(const specs::FrozenTarget& target, const Joined& measured);

}  // namespace stackx::campaigns::cluster
