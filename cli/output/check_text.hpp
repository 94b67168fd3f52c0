// What `stackx check` prints: the answer in the first line, then why, then what to do.
#pragma once

#include "advisor/check/on_several.hpp"

namespace stackx::cli {

void print_check(const advisor::Checked& checked);
void print_check(const advisor::CheckedOnSeveral& several);  // one line for all, then each by itself

}  // namespace stackx::cli
