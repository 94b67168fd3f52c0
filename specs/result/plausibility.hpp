// Whether a rate can be: what an inspection reports against what its device can do at most (rate_limits.hpp).
//
// The rate is the median's, which is what ranks. Asked by the inspector, whose inspections then end `implausible`, and
// by the store of every document that came from elsewhere, which is kept as it is and does not rank.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "specs/hardware/rate_limits.hpp"
#include "specs/result/inspection.hpp"

namespace stackx::specs {

// Why not; nothing where the rate can be, or nobody knows. "26843546 GFLOP/s is more than such a device can do ..."
std::optional<std::string> why_implausible(const RateLimit& limit, const Work& work,
                                           std::span<const std::int64_t> samples_ns);

}  // namespace stackx::specs
