#include "cli/db/removal.hpp"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "campaigns/plan_lock.hpp"
#include "cli/output/print.hpp"
#include "cli/query/filters.hpp"
#include "specs/error.hpp"
#include "store/removal.hpp"
#include "workspace/output.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct RemoveOptions {
  std::string campaign, host, before;
  bool yes = false;
};

store::Removal asked_removal(const RemoveOptions& options, const fs::path& file) {
  if (options.campaign.empty() && options.host.empty() && options.before.empty())
    throw bad_input("db remove: say which results: --campaign ID (or a project's name), --host NAME, --before 90d (or a date); of several "
                    "all must hold");
  store::Removal which;
  if (!options.campaign.empty()) which.campaigns = store::campaigns_called(file, options.campaign);
  if (!options.host.empty()) which.host = options.host;
  if (!options.before.empty()) which.before = parse_since(options.before, std::chrono::system_clock::now(), "--before");
  return which;
}

// Nobody may run them meanwhile: their next result would come into a campaign that is gone.
std::vector<campaigns::PlanLock> held(const store::Removable& found, const store::Spool& spool) {
  std::vector<campaigns::PlanLock> locks;
  for (const auto& one : found.campaigns)
    if (!one.campaign.empty()) locks.emplace_back(spool, one.campaign);
  return locks;
}

store::Removable remove_them(store::Removal which, const store::Removable& found, const fs::path& file) {
  const store::Spool spool(file);
  which.campaigns.emplace();
  for (const auto& one : found.campaigns) which.campaigns->push_back(one.campaign);  // those that are held, and none that came since
  store::Removable gone;
  {
    const auto locks = held(found, spool);
    gone = store::remove(file, which, spool);
  }
  for (const auto& one : found.campaigns) spool.remove_if_empty(one.campaign);
  return gone;
}

json to_json(const store::Removable& which, const fs::path& file, bool removed) {
  json document = {{"store", file.string()}, {"removed", removed}, {"inspections", which.inspections}, {"failed", which.failed},
                   {"of", which.of}, {"campaigns", json::array()}};
  for (const auto& one : which.campaigns)
    document["campaigns"].push_back({{"id", one.campaign}, {"project", one.project}, {"created", one.created},
                                     {"inspections", one.inspections}, {"failed", one.failed}, {"of", one.of}, {"whole", one.whole}});
  return document;
}

std::string campaign_text(const store::Leaving& one) {
  const auto name = one.campaign.empty() ? "what was measured in no campaign" : "campaign " + one.campaign.substr(0, 12);
  const auto of = one.project.empty() ? "" : fmt::format(" ({}, {})", one.project, one.created.substr(0, 10));
  const auto plan = one.project.empty() ? "" : ", and its plan";
  const auto how_many = one.whole ? fmt::format("all {}{}", workspace::counted(one.inspections, "inspection"), plan)
                                  : fmt::format("{} of {}", one.inspections, workspace::counted(one.of, "inspection"));
  return fmt::format("{}{}: {}", name, of, how_many);
}

void print(const store::Removable& which, const RemoveOptions& options, const fs::path& file) {
  if (which.campaigns.empty()) return print_paragraph(fmt::format("Nothing to remove: {} holds no such results.", file.string()));
  print_paragraph(fmt::format("{} of {} {}{}{}.", which.inspections, workspace::counted(which.of, "inspection"),
                              options.yes ? (which.inspections == 1 ? "was removed" : "were removed") : "would be removed",
                              which.failed > 0 ? fmt::format(", {} of them failed ones", which.failed) : "",
                              options.yes ? " from " + file.string() : ""));
  constexpr std::size_t most = 20;
  for (std::size_t i = 0; i < std::min(most, which.campaigns.size()); ++i) print_line(campaign_text(which.campaigns[i]), 2);
  if (which.campaigns.size() > most) print_line(fmt::format("and {} more campaigns: --json", which.campaigns.size() - most), 2);
  print_paragraph(options.yes ? "Other stores and exported files keep what they hold of these; `stackx db compact` makes the file smaller."
                              : "Nothing is removed yet: the same with --yes does it, for good (`stackx db backup FILE` keeps a copy).");
}

void remove(const RemoveOptions& options, const Globals& globals) {
  const fs::path file = store::default_path(globals.db);
  const auto which = asked_removal(options, file);
  auto found = store::removable(file, which);
  if (options.yes && !found.campaigns.empty()) found = remove_them(which, found, file);
  globals.json ? print_json(to_json(found, file, options.yes)) : print(found, options, file);
}

}  // namespace

void add_db_remove(Command db, Globals& globals) {
  auto options = std::make_shared<RemoveOptions>();
  const auto command = db.add_subcommand("remove", "Say which results would go, and with --yes take them out for good");
  command.describe({"A campaign of which nothing is left goes with its plan; sums are made again. One that is being measured is refused.",
                    {{"What would go of a campaign", "stackx db remove --campaign 26d616010d27"},
                     {"All of a machine that is no more, older than a year", "stackx db remove --host node7 --before 365d --yes"}}});
  command.add_option("--campaign", options->campaign, "Of this campaign: its id, or how it begins; or all of a project, by its name")
      .type_name("ID");
  command.add_option("--host", options->host, "Measured on this machine: its name or fingerprint").type_name("NAME");
  command.add_option("--before", options->before, "Finished longer ago than this, or before a date: 90d, 8w, 12h, 2026-01-31")
      .type_name("TIME");
  command.add_flag("--yes", options->yes, "Remove them; without, nothing changes");
  command.callback([options, &globals] { remove(*options, globals); });
}

}  // namespace stackx::cli
