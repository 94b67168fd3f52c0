// How an inspection ended. Only `ok` ranks.
#pragma once

#include <optional>
#include <string_view>

namespace stackx::specs {

enum class Outcome {
  ok,
  build_failed,  // the environment could not be made: network, no compiler, a broken package
  hash_mismatch,    // what was fetched is not what the catalog names
  build_timed_out,  // a build that did not end within its limit
  disk_full,        // no space left for the environment
  unsupported,   // the library or this machine cannot do the workload (no bfloat16, no such
                 // instruction set), or a package exists for no such platform
  wrong_result,  // the product differs from the reference by more than the bound
  wrong_stack,   // another version was loaded than asked for
  timed_out,     // past the time limit
  crashed,       // ended by a signal
  failed,        // ended with a non-zero exit status
  out_of_memory,    // past the memory limit
  output_limit,     // printed more than allowed
  bad_output,       // printed something that is not the PI protocol
  invalid_samples,  // times that are not finite and positive, or none
  left_processes,   // exited while processes it started still ran
  missing_pi,       // the PI program is not there, cannot be executed, or is no longer the one that was planned
  too_large,        // what was fetched unpacks to more than it may
  implausible,      // a rate that such a device cannot reach (specs/hardware/rate_limits.hpp)
};
const char* to_string(Outcome outcome);
std::optional<Outcome> outcome_from(std::string_view name);

}  // namespace stackx::specs
