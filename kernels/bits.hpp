// The bits of a checked result: its digest, and whether further calls give the same.
//
//   "result_digest"  SHA-256 of the whole result, also where the check compares a sample only; of several processes SHA-256 of
//                    their digests in hexadecimal, one after the other
//   "inputs"         what made them, and of which seed: digests of others say nothing about each other
//   "deterministic"  whether three calls gave the same bits; absent where call and digest take longer than a second. Not why
//                    they differ: threads that add in the order in which they come, atomics, memory that was never written.
//
// Of results that the check accepts. Rejected: comparing with a copy of the first result, which needs its memory again.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "kernels/operation.hpp"

namespace stackx::kernels {

// Adds them to the check's document, where the operation has a result whose bits mean something. `call_ns`: what the call
// before took.
void put_bits(nlohmann::json& check, Operation& operation, const std::string& seed, std::int64_t call_ns, const Clock& clock);

}  // namespace stackx::kernels
