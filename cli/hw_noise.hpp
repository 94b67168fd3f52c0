// stackx hw noise: what on this machine makes measurements noisy, and what to change.
#pragma once

#include "cli/commands.hpp"

namespace stackx::cli {

void add_hw_noise(Command hw, Globals& globals);

}  // namespace stackx::cli
