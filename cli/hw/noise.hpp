// stackx hw noise: what on this machine makes measurements noisy, and what to change.
#pragma once

#include <string>

#include "cli/commands.hpp"
#include "inspector/machine/noise/noise.hpp"

namespace stackx::cli {

// All findings, advice below what needs it; a command for root stays on one line, to be copied.
std::string noise_text(const inspector::NoiseReport& report, std::size_t width);

void add_hw_noise(Command hw, Globals& globals);

}  // namespace stackx::cli
