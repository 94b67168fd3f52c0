// What `stackx check` prints: the answer in the first line, then why, then what to do.
#pragma once

#include "advisor/check/check.hpp"

namespace stackx::cli {

void print_check(const advisor::Checked& checked);

}  // namespace stackx::cli
