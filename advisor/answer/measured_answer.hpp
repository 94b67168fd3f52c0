// The answer where something was measured with stackx on such hardware: the winner of what was measured, or that nothing is
// told apart; of several, what is not measured.
#pragma once

#include "advisor/answer/grounds.hpp"

namespace stackx::advisor {

// A measured stack must be chosen: the ranking's first, or for `stable` the steadiest.
void answer_measured(const Grounds& from, Advice& answer);

}  // namespace stackx::advisor
