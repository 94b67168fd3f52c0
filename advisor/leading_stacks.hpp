// The stacks worth reading, where more was measured than one answer shows.
//
// A ranking needs every inspection of the stacks it compares; of a thousand stacks only the first few
// are shown. Which these are is told by the maintained sums (store/questions/summary.hpp): the medians of each
// stack's series, weighted by their inspections, those of this host where it has any. Little is read
// whole, as ever: below `enough_to_choose` inspections nothing is left out. Else the first ten are
// read, and more as long as that takes a moment. Of stacks that were measured more often than an answer
// needs, a sample is read (store/questions/sample.hpp), and the sums tell what it stands for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/ranking/population.hpp"
#include "store/questions/questions.hpp"

namespace stackx::advisor {

inline constexpr std::uint64_t enough_to_choose = 4000;
inline constexpr std::uint64_t a_moment = 2000;  // inspections

// How many stacks to compare. `most` 0: all.
struct Wanted {
  std::size_t least = 10, most = 25;
};

struct LeadingStacks {
  specs::Workload workload;  // the one that was chosen among those that match
  std::vector<store::Measurement> measurements;
  std::optional<analysis::Population> population;  // of a sample
  std::vector<std::string> notes;  // other workloads, and what was left out
};

// None where so little was measured that all of it can be read.
std::optional<LeadingStacks> leading_stacks(const store::Questions& questions,
                                            const specs::Workload& asked, const std::string& hw,
                                            const store::WhoseResults& whose,
                                            const std::string& this_host, const Wanted& wanted,
                                            const store::Sampling& sampling);

}  // namespace stackx::advisor
