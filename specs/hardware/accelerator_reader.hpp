// One model of gpus.json out of the attributes of its version of `gpu`.
//
// A rate that nobody reads is a mistake in writing it; what a host that was detected adds beside is not ours. Rejected: ignoring what
// is not known, with which a misspelt rate is none.
#pragma once

#include "specs/hardware/accelerator.hpp"

namespace stackx::specs {

// Of GPUs whose tensor cores are faster where they sum in float16.
inline constexpr const char* float16_sums = "float16_tensor_float16_sums";

// Throws Error(bad_input).
Accelerator read_accelerator(const Component& gpu, const VersionEntry& entry);

}  // namespace stackx::specs
