// Points in time as documents write them: RFC 3339, UTC, milliseconds ("2026-11-20T17:10:00.123Z").
// The width is fixed, so the texts sort as the times do (years 0 to 9999).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace stackx::specs {

std::string rfc3339_utc(std::chrono::system_clock::time_point time);

// Milliseconds since the epoch; without fraction they are cut to seconds.
std::string utc_text(std::int64_t milliseconds, bool with_fraction);
// Reads both forms, nothing else: false leaves `milliseconds` undefined.
bool parse_utc(std::string_view text, std::int64_t& milliseconds);

}  // namespace stackx::specs
