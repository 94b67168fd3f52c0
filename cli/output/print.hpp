// What commands write to stdout.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

namespace stackx::cli {

// Below so many documents no progress is shown.
inline constexpr std::uint64_t documents_worth_showing = 20'000;

void print_json(const nlohmann::json& document);      // one line on stdout
bool stdout_is_terminal();

}  // namespace stackx::cli
