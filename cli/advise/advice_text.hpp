// The answer of `advise` for people: on a terminal, and as Markdown for a merge request. Under 25 lines at 100 columns: the
// evidence gives way first.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "advisor/answer/advice.hpp"

namespace stackx::cli {

std::string advice_text(const advisor::Advice& advice, std::size_t width, bool colour);
std::string advice_markdown(const advisor::Advice& advice);

// For programs (specs/schemas/advice.json): `answer`, the first member of what `advise --json` prints.
nlohmann::json answer_json(const advisor::Advice& advice);

}  // namespace stackx::cli
