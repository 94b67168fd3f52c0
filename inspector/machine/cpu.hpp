// The processor as /proc/cpuinfo describes it: model, vendor, numbers, microarchitecture,
// instruction set.
#pragma once

#include <string>
#include <string_view>

#include "specs/hardware/hardware.hpp"
#include "specs/hardware/microarchitecture.hpp"

namespace stackx::inspector {

// Fills model, vendor, microarchitecture, family, model_number, stepping and isa; counts and caches
// come from read_topology(). With processors of several kinds (big.LITTLE) the first one names the
// model; isa holds what all of them have, because a thread may land on any. ARM: family is the
// architecture version, model_number the part, stepping the revision, and the model's name is the
// table's, since the kernel prints none.
specs::Cpu parse_cpuinfo(std::string_view text, const specs::Microarchitectures& table);

// What CPUID says the hypervisor is ("KVMKVMKVM"); empty without one, or not on x86.
std::string hypervisor_signature();

}  // namespace stackx::inspector
