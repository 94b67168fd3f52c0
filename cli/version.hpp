// What this program is: `stackx 0.2.0 (commit 698346f, facts as of 2026-11-22)`.
//
// The commit comes from a file that the build writes when it has changed (build_commit.cmake) and compiles alone, for the
// program and no library: a commit costs that and a link. Result documents state the plain version.
#pragma once

#include <string>

#include "cli/commands.hpp"

namespace stackx::cli {

// "698346f"; "698346f+changes" of a tree with changes that are not committed; "": not known.
const char* build_commit();

// What is not known is left out, so that this never fails. With --json one document.
std::string version_text(const std::string& commit, const Globals& globals);

}  // namespace stackx::cli
