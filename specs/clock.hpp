// Points in time as documents write them: RFC 3339, UTC, milliseconds ("2026-11-20T17:10:00.123Z").
// The width is fixed, so the texts sort as the times do (years 0 to 9999).
#pragma once

#include <chrono>
#include <string>

namespace stackx::specs {

std::string rfc3339_utc(std::chrono::system_clock::time_point time);

}  // namespace stackx::specs
