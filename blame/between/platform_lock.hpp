// Locks of uv and Poetry hold for all platforms and Pythons: what Windows needs stands there like everything else.
//
// A package is left out where nothing requires it here, but something does elsewhere (its marker does not hold), or where it has no
// file for this platform; and what only those require. What is required here and has no file is an error.
#pragma once

#include <string>
#include <vector>

#include "blame/ends/end.hpp"
#include "blame/between/locked_package.hpp"

namespace stackx::blame {

// Of an end that is for all platforms; `python`: its own, a place in `pythons`.
void leave_out_other_platforms(End& end, const Pythons& pythons, std::size_t python, const LockedPackages& locked,
                               std::vector<std::string>& notes);

}  // namespace stackx::blame
