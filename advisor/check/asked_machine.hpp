// The machine that a question is about: its GPU by any name that the catalogs know, this machine's, or another host's processor and glibc.
//
// A processor means that no GPU is to be used. The host's processor and glibc are those of this machine for `host`, else what the GPU's
// usual host has. Rejected: asking for more than `--hw` and `--platform`; what else a host has decides nothing here.
#pragma once

#include <string>

#include "advisor/check/question.hpp"
#include "workspace/context.hpp"

namespace stackx::specs {
class Accelerators;
}

namespace stackx::advisor {

// Into the question, whose `hardware` says which. Throws Error(bad_input) for what nobody is called.
void ask_of_machine(Question& question, const std::string& platform, const specs::Accelerators& accelerators, const workspace::Context& context);

}  // namespace stackx::advisor
