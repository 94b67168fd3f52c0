// What a sample stands for (store/questions/sample.hpp): of how many inspections it was drawn, and the counts of
// all of them, by the store's maintained sums. A sample says enough of medians and ratios, whose intervals are
// computed from what was read; of failures, which are rare, it does not.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "specs/catalog/stack.hpp"

namespace stackx::analysis {

struct Tally {
  std::size_t ok = 0;
  std::map<std::string, std::size_t> failures;  // outcome -> how often
};

struct Population {
  std::uint64_t inspections = 0;  // that were measured
  std::uint64_t read = 0, each = 0, seed = 0;
  std::map<specs::Stack, Tally> stacks;  // empty: the sums do not tell, as of a single campaign
};

// "Of 200,900 inspections 8,000 were read, up to 500 of each stack (seed 1)."
std::string line(const Population& population);
// Which those are, what is counted among all, and how to have everything.
std::string explanation(const Population& population);

}  // namespace stackx::analysis
