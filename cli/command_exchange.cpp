// stackx export: result documents as JSON Lines, the unit of exchange between machines.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/load.hpp"
#include "specs/error.hpp"
#include "specs/json.hpp"
#include "store/store.hpp"

namespace stackx::cli {
namespace {

void export_documents(const std::string& campaign, const Globals& globals) {
  const auto store = store::Store::open(store::default_path(globals.db), store::Mode::read_only);
  std::vector<std::string> campaigns;
  for (const auto& row : store.campaigns())
    if (row.id.starts_with(campaign)) campaigns.push_back(row.id);
  if (!campaign.empty() && campaigns.empty())
    throw bad_input(fmt::format("--campaign {}: the store knows no such campaign", campaign));
  if (campaign.empty()) campaigns.push_back("");  // inspections of no campaign
  for (const auto& id : campaigns) {
    const auto plan = id.empty() ? std::nullopt
                                 : store.plan(id);  // none: inspections imported without their plan
    if (plan) print_json(specs::to_json(*plan));
    for (const auto& inspection : store.inspection_ids(id))
      print_json(specs::to_json(*store.inspection(inspection)));
  }
}

}  // namespace

void add_exchange(CLI::App& app, Globals& globals) {
  auto campaign = std::make_shared<std::string>();
  auto* export_command =
      app.add_subcommand("export", "Write result documents to stdout, one a line (JSON Lines)");
  export_command->add_option("--campaign", *campaign, "Only this campaign")->type_name("ID");
  export_command->callback([campaign, &globals] { export_documents(*campaign, globals); });
}

}  // namespace stackx::cli
