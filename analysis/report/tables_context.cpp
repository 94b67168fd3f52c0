// The tables that say why, how surely and where: effects, nodes, rounds, failures, sentinels, machines,
// campaigns.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/ranking/rates.hpp"
#include "analysis/report/cells.hpp"
#include "analysis/text/words.hpp"

namespace stackx::analysis {

ReportTable effects_table(const Report& report) {
  const auto noun = report.ranking.yardstick.noun();
  ReportTable table{
      "effects",
      "Effects of versions",
      fmt::format("The {0} with the second version over the {0} with the first, everything else the same, by an additive model of "
                  "the log {0} over the stacks measured; each interval on its own. What interacts counts as noise. {1}",
                  noun, accuracy_text(report.effects)),
      {{"component", "Component"},
       {"from", "From"},
       {"to", "To"},
       {"kind", "Step"},
       {"ratio", "Effect on the " + noun, true},
       {"ci", "CI", true, Shown::to_people},
       {"ci_low", "", true, Shown::in_csv},
       {"ci_high", "", true, Shown::in_csv},
       {"stacks_from", "n stacks from", true},
       {"stacks_to", "n stacks to", true}},
      {}};
  const auto shown = [](const std::string& version) {
    return Cell{version.empty() ? "absent" : version};
  };
  for (const Effect& effect : report.effects.effects)
    table.rows.push_back({{effect.component},
                          shown(effect.from),
                          shown(effect.to),
                          {effect.overall ? "first to last" : "step"},
                          {fmt::format("×{:.3f}", effect.ratio), effect.ratio},
                          both(effect.ci, ratio),
                          low(effect.ci, ratio),
                          high(effect.ci, ratio),
                          count(effect.stacks_from),
                          count(effect.stacks_to)});
  return table;
}

ReportTable nodes_table(const Report& report) {
  if (!report.ranking.nodes) return {};
  const Nodes& of = *report.ranking.nodes;
  ReportTable table{
      "nodes",
      "Nodes",
      fmt::format("Each node's {} to that of the typical node, in the stacks that several ran; intervals at {:g}% for all nodes "
                  "together (Holm), over {}. Odd is a node whose interval is clear of ±{:g}%.{}",
                  report.ranking.yardstick.noun(), 100 * of.confidence, of.by_blocks ? "blocks" : "rounds", 100 * of.delta, of_sample(report)),
      {{"node", "Node"},
       {"factor", "Factor", true},
       {"interval", "CI", true, Shown::to_people},
       {"low", "", true, Shown::in_csv},
       {"high", "", true, Shown::in_csv},
       {"odd", "Odd"},
       {"shown_in", "Shown in stacks", true},
       {"stacks", "n stacks", true},
       {"blocks", "n blocks", true},
       {"rounds", "n rounds", true},
       {"inspections", "n inspections", true}},
      {}};
  for (const Node& node : of.nodes)
    table.rows.push_back({{node.name},
                          ratio(node.factor),
                          both(node.interval, ratio),
                          low(node.interval, ratio),
                          high(node.interval, ratio),
                          {node.odd ? "yes" : node.interval ? "no" : ""},
                          count(node.shown_in),
                          count(node.stacks),
                          count(node.blocks),
                          count(node.rounds),
                          count(node.inspections)});
  return table;
}

ReportTable rounds_table(const Report& report) {
  ReportTable table{
      "rounds",
      "Common shift of the rounds",
      fmt::format("How much {} than in the campaign's median round all stacks {} together: the machine's doing, not a stack's. A "
                  "change is a lasting new level.",
                  report.ranking.yardstick.is_rate() ? "faster or slower" : "more or less " + report.ranking.yardstick.noun(),
                  report.ranking.yardstick.is_rate() ? "ran" : "had"),
      {{"campaign", "Campaign"},
       {"round", "Round", true},
       {"arms", "n inspections", true},
       {"shift", "Shift", true},
       {"change", "Change to a new level"}},
      {}};
  for (const Drift& drift : report.drifts)
    for (const RoundShift& round : drift.rounds) {
      std::string change;
      for (const ChangePoint& point : drift.changes)
        if (point.round == round.round)
          change = fmt::format("×{:.3f} (p = {:.3g})", point.ratio, point.p);
      const double share = std::expm1(round.shift);
      table.rows.push_back({{drift.campaign.substr(0, 12)},
                            count(round.round),
                            count(round.arms),
                            {fmt::format("{:+.2f}%", 100 * share), share},
                            {change}});
    }
  return table;
}

ReportTable round_rates_table(const Report& report) {
  constexpr std::size_t shown = 12;  // as many lines as the chart has
  const std::size_t stacks = std::min(report.distributions.size(), shown);
  ReportTable table{"round_rates",
                    "By round, the best stacks",
                    fmt::format("{} of one inspection each; #1 to #{} are the rows of the ranking.",
                                title_of(report.ranking.yardstick, report.ranking.unit), stacks),
                    {{"campaign", "Campaign"}, {"round", "Round", true}},
                    {}};
  std::map<std::pair<std::string, std::uint64_t>, std::vector<Cell>> rounds;
  for (std::size_t i = 0; i < stacks; ++i) {
    table.columns.push_back({fmt::format("stack_{}", i + 1), fmt::format("#{}", i + 1), true});
    for (const Inspected& one : report.distributions[i].values) {
      if (one.campaign.empty()) continue;  // belongs to no round
      auto& cells = rounds[{one.campaign, one.round}];
      cells.resize(stacks);
      cells[i] = rate(one.rate);
    }
  }
  for (auto& [round, cells] : rounds) {
    table.rows.push_back({{round.first.substr(0, 12)}, count(round.second)});
    table.rows.back().insert(table.rows.back().end(), cells.begin(), cells.end());
  }
  return table;
}

ReportTable failures_table(const Report& report) {
  ReportTable table{
      "failures",
      "Failures by reason",
      "Inspections that ended without a measured rate. They are results: a stack that "
      "does not build or computes the wrong product is no candidate." + of_sample(report),
      {{"outcome", "Outcome"},
       {"reason", "Reason"},
       {"inspections", "n inspections", true},
       {"stack_count", "n stacks", true},
       {"stacks", "Stacks"}},
      {}};
  for (const FailureReason& failure : report.failures)
    table.rows.push_back({{failure.outcome},
                          {failure.reason},
                          count(failure.inspections),
                          count(failure.stacks.size()),
                          {fmt::format("{}", fmt::join(failure.stacks, "; "))}});
  return table;
}

ReportTable sentinels_table(const Report& report) {
  ReportTable table{
      "sentinels",
      "Sentinels: one stack under two names",
      "Second name's rate over the first's, on the rounds both ran in. The truth is 1: "
      "whatever is called different here is a false positive.",
      {{"id", "Stack id"},
       {"stack", "Stack"},
       {"campaign", "Campaign"},
       {"pairs", "n pairs", true},
       {"ratio", "Ratio", true},
       {"ci", "CI of the ratio", true, Shown::to_people},
       {"ci_low", "", true, Shown::in_csv},
       {"ci_high", "", true, Shown::in_csv},
       {"different", "Called different"}},
      {}};
  for (const SentinelTest& test : report.ranking.sentinels.tests)
    table.rows.push_back({{test.stack.short_id()},
                          {label_of(test.stack.components, report.common)},
                          {test.campaign.substr(0, 12)},
                          count(test.pairs),
                          ratio(test.ratio),
                          both(test.interval, ratio),
                          low(test.interval, ratio),
                          high(test.interval, ratio),
                          {test.different  ? "yes"
                           : test.interval ? "no"
                                           : "too few pairs"}});
  return table;
}

ReportTable blamed_table(const Report& report) {
  ReportTable table{"blamed",
                    "Blamed changes",
                    "What stackx blame found with these campaigns: the new end over the old one, each interval together with all others of its answer.",
                    {{"answer", "Answer"},
                     {"change", "Change"},
                     {"role", "Role"},
                     {"metric", "Metric"},
                     {"ratio", "Ratio", true},
                     {"interval", "Interval", true, Shown::to_people},
                     {"low", "Low", true, Shown::in_csv},
                     {"high", "High", true, Shown::in_csv},
                     {"n", "n rounds", true}},
                    {}};
  const std::string* last = nullptr;
  for (const Blamed& of : report.blamed) {
    const bool again = last && *last == of.answer;  // once for its rows
    last = &of.answer;
    const auto bound = [](const std::optional<double>& value) { return value ? Cell{fmt::format("{:.3f}", *value), *value} : missing(); };
    table.rows.push_back({{again ? "" : of.answer},
                          {of.change},
                          {of.role},
                          {of.metric},
                          {fmt::format("{:.3f}", of.ratio), of.ratio},
                          of.low && of.high ? Cell{fmt::format("[{:.3f}, {:.3f}]", *of.low, *of.high)} : missing(),
                          bound(of.low),
                          bound(of.high),
                          count(of.rounds)});
  }
  return table;
}

ReportTable machines_table(const Report& report) {
  ReportTable table{"machines",
                    "Machine facts",
                    "As the result documents of the inspections say." + of_sample(report),
                    {{"fact", "Fact"}},
                    {}};
  if (report.machines.empty()) return table;
  for (std::size_t i = 0; i < report.machines.size(); ++i)
    table.columns.push_back({fmt::format("machine_{}", i + 1), fmt::format("Machine {}", i + 1)});
  const auto row = [&](const std::string& name, auto value) {
    std::vector<Cell> cells{{name}};
    for (const Machine& machine : report.machines) cells.push_back({value(machine)});
    table.rows.push_back(std::move(cells));
  };
  for (std::size_t i = 0; i < report.machines.front().facts.size(); ++i)
    row(report.machines.front().facts[i].first,
        [&](const Machine& machine) { return machine.facts[i].second; });
  row("Inspections", [](const Machine& m) { return std::to_string(m.inspections); });
  row("Campaigns", [](const Machine& m) {
    std::string text;
    for (const std::string& id : m.campaigns)
      text += (text.empty() ? "" : ", ") + (id.empty() ? "single inspections" : id.substr(0, 12));
    return text;
  });
  return table;
}

ReportTable campaigns_table(const Report& report) {
  ReportTable table{"campaigns",
                    "Campaigns",
                    "What the inspections belong to." + of_sample(report),
                    {{"id", "Campaign"},
                     {"project", "Project"},
                     {"created", "Planned at"},
                     {"seed", "Seed", true},
                     {"arms", "Arms", true},
                     {"rounds", "Rounds planned", true},
                     {"inspections", "n inspections", true},
                     {"failed", "Failed", true},
                     {"first", "First ended at"},
                     {"last", "Last ended at"}},
                    {}};
  for (const CampaignFacts& of : report.campaigns)
    table.rows.push_back({{of.id.empty() ? "single inspections" : of.id},
                          {of.project},
                          {of.created},
                          of.seed ? Cell{std::to_string(*of.seed)} : missing(),
                          of.arms > 0 ? count(of.arms) : missing(),
                          of.rounds > 0 ? count(of.rounds) : missing(),
                          count(of.inspections),
                          count(of.failed),
                          {of.first},
                          {of.last}});
  return table;
}

}  // namespace stackx::analysis
