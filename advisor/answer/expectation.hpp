// How fast an answer's stack will be, as far as anybody knows: measured as it is, published, predicted, or unknown; and how
// often taking the newest was right where others measured several versions.
#pragma once

#include <string>

#include "advisor/answer/grounds.hpp"
#include "advisor/answer/rivals.hpp"

namespace stackx::advisor {

// Grade, figures and sentence. `displaced_by`: the published row that made it the candidate; null: none did.
void expect_of(const Grounds& from, const Candidate& candidate, const Rival* displaced_by, Advice& answer);

// "; elsewhere on volta the newest torch was within 3% of the best in 91% of 3,204 workloads"; "" where too few tell.
std::string odds_of_newest(const Grounds& from);
// "whether that is faster here is not known; elsewhere a newer torch was x1.02 at the median, slower by more than 3% in
// 3% of 10,708 cases"
std::string newer_elsewhere(const Grounds& from);

}  // namespace stackx::advisor
