// The nearest to a question that runs: as few changes as do, each to the newest version that does.
//
// Tried in this order, the first of each kind is kept: what nobody named (a dependency held back), one requested package
// in another build of its version, another Python, one requested package in another version, another driver. A package
// that changes takes along what it pins itself: a lock names both.
#pragma once

#include "advisor/check/check.hpp"
#include "advisor/check/judge.hpp"
#include "advisor/check/python_world.hpp"

namespace stackx::advisor {

std::vector<Nearest> nearest_that_run(const Knowledge& knowledge, const Question& question, const PythonWorld& world,
                                      const Judged& judged);

}  // namespace stackx::advisor
