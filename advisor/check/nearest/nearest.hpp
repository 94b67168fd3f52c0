// The nearest to a question that runs: as few changes as do. Where one version was named, to the next series that does, then to the
// newest; else to the newest that does.
//
// Tried in this order, the first that helps is kept, and another driver beside: the package of the same release that
// uses a GPU, the release without an extra that it does not have, the same with one of PyTorch's indexes, a dependency held back that nobody named, one requested
// package in another build of its version, another Python, one requested package in another version, and that on another
// Python, with another extra, with another driver, with both. A package that changes brings the libraries that it pins: a
// lock names both. Another requested framework stays if it can (another torchvision for this torch); else it changes along,
// and so at last do those that pin the package. Where no Python was named, those that are usual are tried. What is asked for
// stays, in whichever version: sglang in a release that has its server in an extra, rather than vllm. Rejected: what is
// known to run of everything else; only where nothing is found do other frameworks count.
#pragma once

#include "advisor/check/check.hpp"
#include "advisor/check/judge.hpp"
#include "advisor/check/world/python_world.hpp"

namespace stackx::advisor {

// `ask`: check itself, without what is nearest; what it says no to is not proposed (proven.hpp).
std::vector<Nearest> nearest_that_run(const Knowledge& knowledge, const Question& question, const PythonWorld& world,
                                      const Judged& judged, const Ask& ask);

}  // namespace stackx::advisor
