// Which program measured, for the result document; and whether a program that is not stackx's own still is the one that
// the campaign was planned with.
//
// Hashes of stackx's own PIs are taken once; a user's program is read again before every run, since its file may be
// written while a campaign lasts. Its own files besides (what it imports or opens) are not followed.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "inspector/run/pi_command.hpp"
#include "specs/project/pi_program.hpp"

namespace stackx::inspector {

class MeasuringProgram {
 public:
  // `planned`: of pis.own, as the plan has it; where there is no plan, as it is now.
  MeasuringProgram(const Pis& pis, std::optional<specs::PiProgram> planned);

  // Before it is known which of stackx's own PIs runs.
  specs::PiProgram planned() const { return planned_.value_or(specs::PiProgram{}); }
  // The program that runs for this stack, or why it may not.
  std::expected<specs::PiProgram, std::string> running(const StackEnvironment& environment);

 private:
  Pis pis_;
  std::optional<specs::PiProgram> planned_;
  std::string native_, python_;  // SHA-256, when asked for
};

}  // namespace stackx::inspector
