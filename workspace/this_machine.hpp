// The machine at hand, for commands that only ask which one it is.
#pragma once

#include "specs/hardware/hardware.hpp"
#include "workspace/context.hpp"

namespace stackx::workspace {

// As inspector::detect_host, without what takes time and tells no machine from another: container
// runtimes are not run for their versions. fingerprint() is the same.
specs::Host this_machine(const Context& context);

}  // namespace stackx::workspace
