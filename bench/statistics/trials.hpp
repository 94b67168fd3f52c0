// The simulations of bench/statistics: each runs seeded trials of stackx's own statistics and prints
// a Markdown table. The figures a reader gets are the figures of README.md, digit for digit.
#pragma once

#include <cstdint>

namespace stackx::bench {

struct Trials {
  int count = 4000;
  std::uint64_t seed = 1;
};

void false_positives(const Trials& trials);  // A/A, beside Welch, pyperf and asv
void power(const Trials& trials);            // 3% and 1% true differences
void coverage(const Trials& trials);         // of every interval there is
void precision(const Trials& trials);  // what is left of it when a campaign stops on the width
void races(const Trials& trials);      // race against fixed rounds
void race_waves(const Trials& trials);  // looks between waves of a cluster's blocks alone

}  // namespace stackx::bench
