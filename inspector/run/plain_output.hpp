// Reads what a plain program printed (specs/project/pi_program.hpp): one number, one JSON object of the PI protocol, or
// nothing, and then its wall time is the sample.
//
// Programs chat: only the end of stdout counts. It is the protocol where the text from the last line that begins with
// "{" to the end is an object in braces that speaks of its members (samples_ns, max_relative_error, unsupported,
// @result), and is then read as strictly as any PI's. Else it is a number where the last line that is not blank is one,
// and nothing beside it: "0.25", not "0.25 s", whose unit nobody here can be sure of.
//
//   seconds  one sample of so long, which is one item (a run)
//   rate     one sample of a second, with so many items
//   error    a check that judges nothing, beside the wall time as the sample
//
// Whoever says that a rate or an error comes, and prints none, has bad output: a wall time in its place would be compared
// with numbers of another kind.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "inspector/run/protocol.hpp"

namespace stackx::inspector {

// `number`: of specs::printed_numbers. `wall_ns`: how long the program ran.
std::expected<PiReport, Rejected> parse_plain_output(const std::string& text, const std::string& number, std::int64_t wall_ns);

}  // namespace stackx::inspector
