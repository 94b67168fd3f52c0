// Why a problem has no stack, or none with a certain version: a set of clauses that has none
// either, though leaving out any one of them gives one.
//
// A SAT solver (sat/encoding.hpp) with one assumption a clause names clauses that clash; each of
// them is then tried without, those farthest from the roots first, and what is not needed goes
// (deletion; every call of the solver reuses what the earlier ones learnt). It starts with the
// clauses nearest to the roots and adds farther ones only while there is a solution, so the clash
// lies as near to the roots as one can. All this is sound because leaving out clauses never makes a
// problem unsolvable (sat/founded.hpp). Rejected: QuickXplain with a new search for every subset,
// which took time with everything that is unrelated.
//
// A version can agree with everything and still be in no stack: because nothing needs it that could
// be selected together with it. Then the clash is one of the demands as such; that a stack holds
// only what something in it needs is taken for granted.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "resolver/problem.hpp"

namespace stackx::resolver {

// The problem with the versions of these components that were left out of the catalog (problem.hpp); nothing if none was, or
// if they are there already. Asked for where nothing that the catalog has is in a range of the clash: then what is missing,
// and why, is the explanation. A clash of what is there needs no list of what is not; only where the latter would solve it,
// that is a fix.
using WithLeftOut = std::function<std::optional<Problem>(const std::set<std::string>& names)>;

std::optional<Unsolvable> explain(const Problem& problem, const WithLeftOut& with_left_out = {});

// Why the version is in no stack; nothing if it is in one. What explain() says if there is no stack
// at all. Throws Error(bad_input) where the problem knows no such component or version.
std::optional<Unsolvable> explain_version(const Problem& problem, const std::string& component,
                                          const std::string& version);

}  // namespace stackx::resolver
