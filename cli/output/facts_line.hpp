// How old the facts are that an answer rests on, and which of the user's catalogs lie over them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "specs/catalog/catalog.hpp"

namespace stackx::cli {

// "Facts as of 2026-11-22.", a warning past 90 days, a line for each overlay; "" where no source has a date.
std::string facts_lines(const specs::Catalog& catalog);
std::string overlay_lines(const specs::Catalog& catalog);
std::string facts_warnings(const specs::Catalog& catalog);  // the same without the plain date
nlohmann::json facts_json(const specs::Catalog& catalog);

}  // namespace stackx::cli
