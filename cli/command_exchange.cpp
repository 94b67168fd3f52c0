// stackx export / import: result documents as JSON Lines, the unit of exchange between machines.
#include <fmt/core.h>

#include <fstream>
#include <iostream>
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

void import_line(store::Store& store, const specs::Node& document, std::size_t& inserted,
                 std::size_t& known) {
  const auto schema = document.at("$schema").text();
  store::Ingest result{};
  if (schema == "stackx/plan/1")
    result = store.ingest(specs::plan_from(document));
  else if (schema == "stackx/inspection/1")
    result = store.ingest(specs::inspection_from(document));
  else
    document.at("$schema").fail(fmt::format(
        "{} cannot be imported; expected stackx/plan/1 or stackx/inspection/1", schema));
  ++(result == store::Ingest::inserted ? inserted : known);
}

void import_documents(const std::vector<std::string>& files, const Globals& globals) {
  auto store = store::Store::open(store::default_path(globals.db));
  std::size_t inserted = 0, known = 0;
  for (const auto& file : files) {
    std::ifstream in(file);
    if (!in)
      throw broken_environment(
          fmt::format("{}: cannot be read; check that it exists and its permissions", file));
    std::string line;
    for (std::size_t number = 1; std::getline(in, line); ++number)
      if (!line.empty())
        import_line(store, specs::Node::parse_text(line, fmt::format("{}:{}", file, number)),
                    inserted, known);
  }
  if (globals.json)
    print_json({{"inserted", inserted}, {"already_there", known}});
  else
    fmt::print("{} documents imported, {} were already there\n", inserted, known);
}

}  // namespace

void add_exchange(CLI::App& app, Globals& globals) {
  auto campaign = std::make_shared<std::string>();
  auto* export_command =
      app.add_subcommand("export", "Write result documents to stdout, one a line (JSON Lines)");
  export_command->add_option("--campaign", *campaign, "Only this campaign")->type_name("ID");
  export_command->callback([campaign, &globals] { export_documents(*campaign, globals); });

  auto files = std::make_shared<std::vector<std::string>>();
  auto* import_command = app.add_subcommand(
      "import", "Add result documents from other machines; twice changes nothing");
  import_command->add_option("files", *files, "JSON Lines files that `stackx export` wrote")
      ->required()
      ->type_name("FILE...");
  import_command->callback([files, &globals] { import_documents(*files, globals); });
}

}  // namespace stackx::cli
