// The answer where the catalogs' own components are asked for, a processor's libraries, and nobody measured: the newest.
#pragma once

#include "advisor/answer/grounds.hpp"

namespace stackx::advisor {

// Something must be chosen.
void answer_catalogs(const Grounds& from, Advice& answer);

// The packages of a stack of the catalogs, as something to install.
void pin_stack(const Grounds& from, const specs::Stack& stack, Advice& answer);

}  // namespace stackx::advisor
