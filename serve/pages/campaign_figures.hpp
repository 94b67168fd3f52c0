// What the store has of one campaign, counted in one pass over its inspections.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace stackx::serve::pages {

struct CampaignFigures {
  nlohmann::json arms, failures, nodes;  // arrays of rows
  std::string last;                      // when its latest inspection finished; "": none did
  bool late = false;                     // it has too many to be counted for a page: all of this is empty
};

// `campaign`: an id of the store. Throws as store::read_only_sql does, but for its deadline.
CampaignFigures campaign_figures(const std::filesystem::path& store, const std::string& campaign);

}  // namespace stackx::serve::pages
