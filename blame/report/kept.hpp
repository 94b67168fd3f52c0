// Answers of blame, kept beside the store, so that reports on its campaigns can tell them.
//
//   <database>-blame/<id of the question>-<metric>.json     the document stackx/blame/1, the last of its question
// Rejected: in the store (its documents are measurements; an answer can be made again from them).
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "analysis/report/report.hpp"

namespace stackx::blame {

// A disk that refuses is no error: the answer has been told.
void keep(const std::filesystem::path& database, const std::string& name, const nlohmann::json& document);

// Of all that rest on one of these campaigns, by name; files that are none are passed over.
std::vector<analysis::Blamed> kept_about(const std::filesystem::path& database, const std::set<std::string>& campaigns);

}  // namespace stackx::blame
