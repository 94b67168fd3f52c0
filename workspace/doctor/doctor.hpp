// What this machine can do: everything that stackx needs, or could use, looked at once.
//
// Findings in the order that a person reads: what stackx is made of, what measuring needs, what it can reach, where it
// keeps things. It takes about as long as the slowest of the others that are asked, and at most what is promised.
#pragma once

#include <chrono>

#include "workspace/context.hpp"
#include "workspace/doctor/finding.hpp"

namespace stackx::workspace {

// Noise is looked at first, before we make some ourselves, then all others at once. Each wait is above all that the probes wait for by
// themselves, and ends whatever hangs; what is left of the promise (docs/install.md) is for starting and printing.
inline constexpr std::chrono::milliseconds promised{8000}, for_noise{1200}, for_others{6500};
static_assert(for_noise + for_others < promised);

struct Examination {
  bool offline = false;  // the package index is not asked
};
Findings examine(const Context& context, const Examination& how);

}  // namespace stackx::workspace
