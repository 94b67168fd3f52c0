// A map of texts, as rows keep parameters and details: {"dtype":"float32","m":"1024"}.
//
// A store has one for each workload, and answers read tens of thousands. Nearly all are plain words
// as canonical JSON writes them, which are taken as they stand; what is written in any other way
// goes through the JSON parser, with the same result.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace stackx::store {

// Throws nlohmann::json::exception where it is no object of texts.
std::map<std::string, std::string> read_text_map(std::string_view json);

}  // namespace stackx::store
