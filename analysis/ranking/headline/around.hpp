// What stands around a headline: on what it rests, and what a reader must be careful about; a sentence each.
#pragma once

#include <string>
#include <vector>

#include "analysis/ranking/headline/standing.hpp"
#include "analysis/ranking/ranking.hpp"
#include "analysis/ranking/stack_names.hpp"

namespace stackx::analysis {

constexpr std::size_t most_named = 3;  // stacks that one sentence, or one kind of caution, names

// "MEASURED here (zen5): 16 stacks, 12 rounds, 0 failed; noise floor -0.4% to +0.6%.", "Holds for matmul ...". `hw`: the hardware as
// the reader calls it.
std::vector<std::string> context_of(const Ranking& ranking, const std::string& hw, const StackNames& names);

// "CV of the best 15%." `lead`: the interval of the first to the next, where that is decided. `all.best` is there.
std::vector<std::string> cautions_of(const Ranking& ranking, const Sorted& all, const std::optional<Interval>& lead, const StackNames& names);

}  // namespace stackx::analysis
