// stackx hw drivers GPU...: which of NVIDIA's drivers drive all of these GPUs; with --driver, whether that one does.
#pragma once

#include "cli/commands.hpp"

namespace stackx::cli {

void add_hw_drivers(Command hw, Globals& globals);

}  // namespace stackx::cli
