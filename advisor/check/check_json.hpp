// What check answers, and why something clashes, as JSON (specs/schemas/check.json).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "advisor/check/check.hpp"

namespace stackx::advisor {

nlohmann::json to_json(const Checked& checked);  // stackx/check/1

// [{"text": ..., "leads_to": [...]}, ...]
nlohmann::json reasons_json(const std::vector<resolver::Reason>& reasons);

}  // namespace stackx::advisor
