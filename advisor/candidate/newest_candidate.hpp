// The newest stack that is valid for what is asked: one release of a framework, in the build that runs on the GPU and the
// driver, with what an installer takes along; found release by release, each judged by check.
//
// A release counts in the form that the usual index serves before builds of other indexes, of these the newest CUDA
// first (without a GPU the build for processors first). A build that nobody is known to have seen (facts: exists) counts
// only where another patch release of the same minor version has it: what cannot be installed is no advice. Rejected:
// what `check` calls the nearest, which changes as little as it can of what was asked for; here nothing was.
#pragma once

#include <optional>

#include "advisor/candidate/candidate.hpp"
#include "advisor/candidate/wish.hpp"

namespace stackx::advisor {

// Nothing where no release of it runs there.
std::optional<Candidate> newest_candidate(const Knowledge& knowledge, const Wish& wish);

}  // namespace stackx::advisor
