// The extras that are in force at an end: those that it asks for itself, and that packages there ask for.
//
// Most locks do not say what they were asked for: pip freeze cannot, pip-compile and uv leave it out unless told otherwise, an
// environment never knew. There tensorflow[and-cuda] brought twelve packages that nothing seems to require. So an extra is taken
// to be asked for where all that it adds is at the end, in versions that it takes, and something of that is at this end alone and
// required by nobody else. It is told in a note. Wrong at times (who added scikit-learn for himself beside transformers, which has
// an extra of that name, has the two in one group), but a group that is too large still has the culprit in it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "blame/ends/end.hpp"
#include "blame/between/locked_package.hpp"

namespace stackx::blame {

using AskedExtras = std::map<std::string, std::set<std::string>>;  // of a package

// `python`: the end's, a place in the `on` of each package.
AskedExtras asked_extras(const End& end, const Pythons& pythons, std::size_t python, const LockedPackages& locked);

// Those that a file's requirements know.
std::set<std::string> known_extras(const pypi::Facts& facts);

// Adds those that are likely, and says so.
void add_likely_extras(End& end, const End& other, const Pythons& pythons, std::size_t python, const LockedPackages& locked,
                       std::vector<std::string>& notes);

}  // namespace stackx::blame
