#include "campaigns/cluster/head/known.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "campaigns/cluster/head/asked_project.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"
#include "store/file_system.hpp"
#include "workspace/asked/project.hpp"
#include "workspace/asked/shell_words.hpp"
#include "workspace/output.hpp"

namespace stackx::campaigns::cluster {
namespace {

fs::path directory_of_known(const fs::path& database) { return fs::absolute(store::real_file(database)).string() + "-clusters"; }

std::string list_of(const std::vector<specs::ClusterCampaign>& campaigns) {
  if (campaigns.empty()) return "none was submitted from here: stackx cluster submit PROJECT";
  std::string text = "those submitted from here are ";
  for (std::size_t i = 0; i < std::min<std::size_t>(campaigns.size(), 5); ++i)
    text += fmt::format("{}{} ({}, {})", i > 0 ? ", " : "", campaigns[i].short_id(), campaigns[i].project, campaigns[i].created.substr(0, 10));
  return text;
}

specs::ClusterCampaign of_project(const fs::path& file, const std::vector<specs::ClusterCampaign>& known) {
  const auto name = project_name(file);
  const auto found = std::ranges::find(known, name, &specs::ClusterCampaign::project);
  if (found != known.end()) return *found;
  throw bad_input(fmt::format("{}: no campaign of {} was submitted from here; stackx cluster submit {} begins one", workspace::called(file),
                              specs::in_quotes(name), workspace::shell_quoted(workspace::called(file))));
}

}  // namespace

void remember(const specs::ClusterCampaign& campaign, const fs::path& database) {
  const auto directory = directory_of_known(database);
  store::make_directory(directory);
  const auto file = directory / (campaign.short_id() + ".json");
  if (!fs::exists(file)) write_document(file, specs::to_json(campaign));
}

std::vector<specs::ClusterCampaign> known_campaigns(const fs::path& database) {
  std::vector<specs::ClusterCampaign> known;
  for (const auto& file : specs::json_files(directory_of_known(database))) {
    try {
      known.push_back(specs::cluster_campaign_from(specs::Node::parse_file(file)));
    } catch (const Error& error) {
      workspace::say("left out: {}\n", error.what());
    }
  }
  std::ranges::stable_sort(known, std::ranges::greater{}, &specs::ClusterCampaign::created);
  return known;
}

specs::ClusterCampaign find_campaign(const std::string& word, const fs::path& database) {
  std::error_code none;
  if (!word.empty() && fs::is_directory(word, none)) {
    auto campaign = read_campaign(word);
    remember(campaign, database);
    return campaign;
  }
  const auto known = known_campaigns(database);
  if (!word.empty() && fs::is_regular_file(word, none)) return of_project(word, known);
  std::vector<specs::ClusterCampaign> found;
  for (const auto& campaign : known)
    if (campaign.id.starts_with(word)) found.push_back(campaign);
  if (word.empty() && !found.empty()) return found.front();
  if (found.empty() && word.find_first_not_of("0123456789abcdef") != word.npos)  // no id
    if (const auto file = workspace::named_project(word); fs::is_regular_file(file, none)) return of_project(file, known);
  if (found.size() > 1) throw bad_input(fmt::format("{}: several campaigns begin so; give more of its digits", specs::in_quotes(word)));
  if (found.empty())
    throw bad_input(fmt::format("{}no cluster campaign; {}", word.empty() ? "" : specs::in_quotes(word) + ": ", list_of(known)));
  return found.front();
}

}  // namespace stackx::campaigns::cluster
