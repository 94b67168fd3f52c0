// Why Slurm says that a job waits (squeue's %r), or that it ended, in words of a person, and what to do about it.
//
// The list is Slurm's page of job reason codes, of which ReFrame, which cancels jobs that cannot start, names some dozens;
// limits (Assoc..., QOS..., Max...) come in a hundred names and are told by their beginnings. What is not in the list is
// passed on as Slurm says it.
#pragma once

#include <string>
#include <string_view>

namespace stackx::campaigns::cluster {

struct Reason {
  std::string words, advice;  // "" where there is nothing to say
  bool is_held = false;       // it does not start by itself
};

Reason reason_for_waiting(std::string_view reason, const std::string& job);

// `state` is Slurm's ("NODE_FAIL", "CANCELLED by 1000"), `exit_code` sacct's "127:0", `reason` squeue's; "" where it is not known.
Reason reason_for_ending(std::string_view state, std::string_view exit_code, std::string_view reason);

}  // namespace stackx::campaigns::cluster
