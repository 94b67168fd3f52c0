// The machine at hand, for commands that only ask which one it is, and machines that are only named.
#pragma once

#include "specs/hardware/hardware.hpp"
#include "specs/hardware/microarchitecture.hpp"
#include "workspace/context.hpp"

namespace stackx::workspace {

// As inspector::detect_host, without what takes time and tells no machine from another: container
// runtimes are not run for their versions. fingerprint() is the same.
specs::Host this_machine(const Context& context);

const specs::Microarchitectures& microarchitectures(const Context& context);  // lives as long as the process

// A machine with that processor, of which nothing else is known: what only more cores or memory would
// forbid is allowed.
specs::Host machine_with(const std::string& microarchitecture, const Context& context);

}  // namespace stackx::workspace
