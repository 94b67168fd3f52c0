// What a run showed, put into its result document: how it ended, what it took, what its PI printed, and whether that was the stack
// that was asked for.
//
// Of what is found the first that is wrong decides the outcome; what was found before it stays in the document.
#pragma once

#include <cstdint>

#include "inspector/confinement/supervised_run.hpp"
#include "inspector/environment/environment.hpp"
#include "inspector/process/secrets.hpp"
#include "specs/project/pi_program.hpp"
#include "specs/result/inspection.hpp"

namespace stackx::inspector {

void put(specs::Inspection& result, const Verdict& verdict);

// Nothing where the PI was not started.
void put_supervision(specs::Inspection& result, const Supervision& report);

// What the PI printed, of a run that was supervised to its end; `planned` says how it is read.
void put_output(specs::Inspection& result, const StackEnvironment& environment, const specs::PiProgram& planned,
                const Secrets& secrets, const RunResult& ran);

// Of a PI with several processes the largest one alone says too little. What the PI stated itself goes before.
void put_memory_together(specs::Inspection& result, std::uint64_t together_bytes);

}  // namespace stackx::inspector
