// Runs a program and makes sure that nothing of it outlives stackx.
//
// bubblewrap's own --die-with-parent leaves a gap: its second process, which becomes the sandbox,
// sleeps in read() until the first one has set it up, and sleeps for ever if the first one is
// killed just then. The guard is the subreaper above both and sees end-of-file on the channel when
// stackx dies. It also makes the control group that the program runs in, and hands its count of kills for want of
// memory down as descriptor 4.
#pragma once

#include "inspector/supervise/control_group.hpp"

namespace stackx::supervise {

// argv ends in nullptr. Returns the program's exit status (128 + signal if one ended it).
int guard(char** argv, const GroupLimits& limits);

}  // namespace stackx::supervise
