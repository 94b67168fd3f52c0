// The answer to --lock: whether what the user runs today runs there, how fast, and whether anything shows a reason to change.
#pragma once

#include "advisor/answer/grounds.hpp"

namespace stackx::advisor {

// There must be a wish, and the candidate is the lock's own.
void answer_lock(const Grounds& from, Advice& answer);

}  // namespace stackx::advisor
