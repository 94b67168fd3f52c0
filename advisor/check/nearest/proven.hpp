// What is proposed is nothing that check says no to: the line that is printed is put to check, on the machine of the question.
//
// The search solves more than an installer does: it may take a build of another index, and of what is taken along for itself it
// does not ask whether it is for CPUs (torch 2.8.0 of the usual index on aarch64). Where the line alone is a no and is none with
// one of PyTorch's indexes beside the usual one, that index becomes part of it; else it is no proposal. An unknown is one, except on
// a Jetson: of what nobody states the search takes nothing, and what is not judged stays so.
#pragma once

#include "advisor/check/check.hpp"

namespace stackx::advisor {

// `question`: of the machine that is proposed, so without a driver where another one is part of the proposal. Adds to `nearest` what no
// installer brings along, what must be there before something is compiled, and the index.
bool prove(const Knowledge& knowledge, const Question& question, const Ask& ask, Nearest& nearest);

}  // namespace stackx::advisor
