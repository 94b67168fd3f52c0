// What an answer cannot have: versions that are too new for the hardware, and what the user loses by keeping a driver, a
// CUDA or a Python (--have).
#pragma once

#include "advisor/answer/grounds.hpp"

namespace stackx::advisor {

// The table of what is out for the hardware's age. Where it is shown, the first line does not name CUDA and cuDNN again.
void add_limits(const Grounds& from, const Candidate& candidate, Advice& answer);

// "Staying with cuda 11.8 keeps you from torch 2.15.0, which needs driver >=580; ..."
void add_what_is_lost(const Grounds& from, const Candidate& candidate, Advice& answer);

}  // namespace stackx::advisor
