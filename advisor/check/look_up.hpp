// What no catalog holds, asked of a package index: numpy's releases, flask's requirements, and what those require.
//
// Of each package, of each range that is asked of it, the newest releases that it allows: what an installer would look at,
// too. Followed until nothing new is required, of packages that are known by then, too.
#pragma once

#include <set>
#include <string>

#include "advisor/check/question.hpp"
#include "advisor/facts/knowledge.hpp"
#include "pypi/index/index.hpp"

namespace stackx::advisor {

// Adds to `knowledge`. The names of which the index knows no project. Throws as Index does.
std::set<std::string> look_up(Knowledge& knowledge, const Question& question, pypi::Index& index, const std::string& today);

}  // namespace stackx::advisor
