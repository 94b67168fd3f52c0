// The answer where Python packages are asked for: the newest valid stack of the framework, unless evidence displaces it.
#pragma once

#include "advisor/answer/grounds.hpp"

namespace stackx::advisor {

// There must be a wish.
void answer_packages(const Grounds& from, Advice& answer);

}  // namespace stackx::advisor
