// Campaigns: how far each is, what failed and why, on which nodes. Of a campaign on a cluster every start of a block is a
// campaign of its own; its id, which is in their plans, shows them together.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "serve/pages/campaign_figures.hpp"
#include "serve/pages/cells.hpp"
#include "serve/pages/subjects.hpp"
#include "specs/project/plan.hpp"
#include "store/store.hpp"

namespace stackx::serve::pages {
namespace {

using nlohmann::json;

constexpr std::size_t most_campaigns = 200, most_arms = 200;

Column progress_column() {
  return {"Progress", [](const json& row) {
            const auto done = row.at("done").get<std::uint64_t>(), planned = row.at("planned").get<std::uint64_t>();
            return Cell{progress(done, planned, "Inspections"), fmt::format("{}", planned == 0 ? 0 : static_cast<double>(done) / static_cast<double>(planned))};
          }, "id"};
}

Column campaign_column() {
  return {"Campaign", [](const json& row) {
            const auto id = text_of(row, "id");
            return Cell{link(campaign_address(id), id.substr(0, 12)), id};
          }, "id"};
}

Column moment(std::string title, const std::string& key) {
  return {std::move(title), [key](const json& row) {
            const auto text = text_of(row, key);
            if (text.empty()) return Cell{};
            auto shown = text.substr(0, 16);
            if (shown.size() == 16) shown[10] = ' ';
            return Cell{fmt::format("<time datetime=\"{}\">{}</time>", escaped(text), escaped(shown)), text};
          }, "id"};
}

json row_of(const store::CampaignRow& row) {
  return {{"id", row.id}, {"project", row.project}, {"created", row.created}, {"planned", row.planned}, {"done", row.done}, {"failed", row.failed}};
}

bool is_under_way(const store::CampaignRow& row) { return row.done < row.planned; }

// --- one ---

Column how_failed() {
  return {"How", [](const json& row) { return Cell{escaped(components(row.at("outcomes")))}; }};
}

json with_stacks(json arms, const specs::Plan* plan) {
  if (!plan) return arms;
  std::map<std::string, const specs::Arm*> by_label;
  for (const auto& arm : plan->arms) by_label[arm.label] = &arm;
  for (auto& row : arms) {
    const auto found = by_label.find(row.at("arm"));
    if (found == by_label.end()) continue;
    row["stack"] = found->second->stack.components;
    row["stack_id"] = found->second->stack.id();
    row["workload"] = found->second->workload.text();
  }
  return arms;
}

std::string arms_html(json arms) {
  const auto all = arms.size();
  if (all > most_arms) arms.erase(arms.begin() + most_arms, arms.end());
  auto html = table("arms", "Stacks of the campaign",
                    {words("Arm", "arm", "id"), count("Inspections", "inspections"), count("Failed", "failed"), how_failed(),
                     {"Sentinel", [](const json& row) { return Cell{row.at("sentinel").get<bool>() ? "yes" : ""}; }}, stack("Stack"), workload("Workload", "workload"),
                     moment("Last", "last")},
                    arms);
  return all > most_arms ? html + paragraph(fmt::format("{} of {}, those with most failures first.", most_arms, all), "note") : html;
}

std::string figures_html(const CampaignFigures& figures, const specs::Plan* plan, bool live) {
  if (figures.late) return section("late", "Failures and nodes", paragraph("It has more inspections than a page can count; `stackx query --sql` counts them."));
  auto failures = table("failures", "Failures by reason",
                        {words("Outcome", "outcome"), words("Reason", "reason", "wide"), count("Inspections", "inspections"), count("Arms", "arms"),
                         moment("First", "first"), moment("Last", "last")},
                        figures.failures);
  if (failures.empty()) failures = paragraph("None.");
  return section("failures", "Failures", failures, live) +
         section("nodes", "Nodes", table("nodes", "Nodes of the campaign",
                 {words("Node", "name"), words("Processor", "cpu"), count("Inspections", "inspections"), count("Failed", "failed"), how_failed(),
                  count("Arms", "arms"), moment("First", "first"), moment("Last", "last"), words("Fingerprint", "host", "id short")},
                 figures.nodes), live) +
         section("arms", "Stacks", arms_html(with_stacks(figures.arms, plan)), live);
}

std::string stacks_of(const specs::Plan& plan) {
  const auto sentinels = std::ranges::count_if(plan.arms, &specs::Arm::sentinel);
  const auto stacks = counted(static_cast<double>(plan.arms.size() - static_cast<std::size_t>(sentinels)));
  return sentinels == 0 ? stacks : fmt::format("{}, and {} {}", stacks, sentinels, sentinels == 1 ? "sentinel" : "sentinels");
}

std::string plan_facts(const specs::Plan* plan, const store::CampaignRow& row) {
  std::vector<std::pair<std::string, std::string>> known{{"Project", escaped(row.project)}, {"Created", escaped(row.created)},
                                                         {"Id", fmt::format("<span class=\"id\">{}</span>", escaped(row.id))}};
  if (plan) {
    known.emplace_back("Stacks", stacks_of(*plan));
    known.emplace_back("Rounds", counted(static_cast<double>(plan->campaign.rounds)));
    known.emplace_back("Runner", escaped(plan->campaign.runner));
    known.emplace_back("Device", escaped(plan->device));
    if (plan->block)
      known.emplace_back("Block", fmt::format("{} of {} of {}", plan->block->block, escaped(plan->block->target),
                                              link(campaign_address(plan->block->cluster), plan->block->cluster.substr(0, 12))));
  }
  return facts(known);
}

std::string progress_html(const store::CampaignRow& row, const std::string& last) {
  auto html = "<p>" + progress(row.done, row.planned, "Inspections done") + fmt::format(" inspections, {} failed.", row.failed);
  if (row.planned == 0) html += " The store does not have its plan.";
  if (!last.empty()) html += fmt::format(" The latest finished <time datetime=\"{0}\">{1}</time> (UTC).", escaped(last), escaped(last.substr(0, 19)));
  return html + "</p>\n";
}

Page cluster_page(const std::string& id, const std::vector<store::BlockRow>& blocks) {
  auto rows = json::array();
  std::uint64_t done = 0, failed = 0;
  for (const auto& one : blocks) {
    rows.push_back({{"id", one.campaign}, {"target", one.target}, {"block", one.block}, {"attempt", one.attempt}, {"created", one.created},
                    {"rounds", one.rounds}, {"planned", one.planned}, {"done", one.done}, {"failed", one.failed}});
    done += one.done, failed += one.failed;
  }
  const auto lead = fmt::format("{} starts of blocks on a cluster: {} inspections, {} failed.", blocks.size(), done, failed);
  return {"Campaign " + id.substr(0, 12), section("blocks", "Blocks", table("blocks", "Starts of blocks",
          {words("Target", "target"), count("Block", "block"), words("Start", "attempt", "id"), progress_column(), count("Failed", "failed"),
           count("Rounds", "rounds"), moment("Created", "created"), campaign_column()}, rows), true), lead};
}

const store::CampaignRow* find(const std::vector<store::CampaignRow>& rows, const std::string& id) {
  const store::CampaignRow* found = nullptr;
  for (const auto& row : rows) {
    if (row.id == id) return &row;
    if (!row.id.starts_with(id)) continue;
    if (found) throw Refusal{400, fmt::format("campaign {}: several begin so", id)};
    found = &row;
  }
  return found;
}

}  // namespace

Page campaigns_page(const Asked& asked, const Target& target) {
  if (const auto id = target.parameter("campaign")) return campaign_page(asked, {{"campaigns", *id}, {}});
  const auto store = store::Store::open(asked.store, store::Mode::read_only);
  const auto all = store.campaigns();
  const bool every = target.parameter("limit") == "0";
  auto rows = json::array();
  bool live = false;
  for (const auto& row : all) {
    if (!every && rows.size() == most_campaigns) break;
    rows.push_back(row_of(row));
    live |= is_under_way(row);
  }
  const std::vector<Column> columns{campaign_column(), words("Project", "project"), progress_column(), count("Failed", "failed"), moment("Created", "created")};
  auto html = table("campaigns", "Campaigns, the newest first", columns, rows);
  if (html.empty()) html = paragraph("There are none yet: stackx inspect begins one, stackx import takes in others'.");
  if (rows.size() < all.size()) html += fmt::format("<p class=\"note\">{} of {} are shown: {}.</p>\n", rows.size(), all.size(), link("/campaigns?limit=0", "all"));
  return {"Campaigns", section("campaigns", "All, the newest first", html, live), "Inspections that are in this store, of those that were planned."};
}

Page campaign_page(const Asked& asked, const Target& target) {
  const auto& id = target.path[1];
  const auto store = store::Store::open(asked.store, store::Mode::read_only);
  const auto rows = store.campaigns();
  const auto* row = find(rows, id);
  if (!row) {
    if (const auto blocks = store.blocks(id); !blocks.empty()) return cluster_page(id, blocks);
    throw Refusal{404, fmt::format("campaign {}: the store has none whose id begins so", id)};
  }
  const auto plan = store.plan(row->id);
  const auto figures = campaign_figures(asked.store, row->id);
  const bool live = is_under_way(*row);
  auto html = section("progress", "Progress", progress_html(*row, figures.last) + plan_facts(plan ? &*plan : nullptr, *row), live);
  html += figures_html(figures, plan ? &*plan : nullptr, live);
  return {row->project.empty() ? "Campaign " + row->id.substr(0, 12) : "Campaign of " + row->project, html, ""};
}

}  // namespace stackx::serve::pages
