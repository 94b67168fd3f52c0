// Releases between what was asked for and the newest that runs.
#pragma once

#include <string>
#include <vector>

#include "advisor/check/question.hpp"
#include "advisor/check/world/extras.hpp"
#include "advisor/facts/knowledge.hpp"

namespace stackx::advisor {

// Of the series (2.15) from that of `from` on, before `newest`: the newest release of each that has machine code for the GPU and the extras that
// are asked for, one of the usual index before another index's. A few: each is put to the resolver. Older ones than `from`: none, the
// newest that runs is the nearest of them.
std::vector<const specs::PackageRelease*> releases_towards(const Knowledge& knowledge, const Question& question, const Extras& extras,
                                                           const std::string& package, const std::string& from, const std::string& newest);

}  // namespace stackx::advisor
