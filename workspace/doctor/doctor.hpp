// What this machine can do: everything that stackx needs, or could use, looked at once.
//
// Findings in the order that a person reads: what stackx is made of, what measuring needs, what it can reach, where it
// keeps things. It takes about as long as the slowest of the others that are asked, and at most a few seconds.
#pragma once

#include "workspace/context.hpp"
#include "workspace/doctor/finding.hpp"

namespace stackx::workspace {

struct Examination {
  bool offline = false;  // the package index is not asked
};
Findings examine(const Context& context, const Examination& how);

}  // namespace stackx::workspace
