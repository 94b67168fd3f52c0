#include "blame/report/output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "analysis/text/markdown.hpp"
#include "analysis/text/table.hpp"
#include "analysis/text/words.hpp"
#include "blame/asked.hpp"
#include "blame/between/wording.hpp"
#include "specs/format/json.hpp"
#include "workspace/words.hpp"

namespace stackx::blame {
namespace {

using analysis::counted;
using Json = nlohmann::json;
using Kind = Finding::Kind;
using Role = FindingRow::Role;

constexpr std::size_t most_reasons = 3;

std::string role_in_words(const Finding& finding, const FindingRow& row) {
  switch (row.role) {
    case Role::culprit: return finding.breaks ? "breaks it, both ways" : "worse, both ways";
    case Role::gain: return finding.breaks ? "mends it, both ways" : "better, both ways";
    case Role::together:
      if (row.low->shown) return finding.breaks ? "breaks the old end" : "at the old end only";
      return "with others only";
    case Role::others:
      if (row.low->shown || row.high->shown) return "old / new elsewhere";
      break;
    case Role::none: break;
  }
  return "no effect shown";
}

// Empty of what breaks: no ratio says more than that.
std::string effect_in_words(const Finding& finding, const FindingRow& row) {
  if (finding.breaks) return "";
  if (row.role == Role::culprit || row.role == Role::gain) return row.effect->text();
  if (row.role == Role::together) return fmt::format("{} / {}", row.low->text(), row.high->text());
  if (row.low->shown || row.high->shown) return fmt::format("{} / {}", row.low->text(), row.high->text());
  if (!row.low->low || !row.high->low) return "not known";
  return fmt::format("at most {:.1f}%", 100 * std::max(row.low->most(), row.high->most()));
}

std::string effect_in_markdown(const Finding& finding, const FindingRow& row) {
  if (finding.breaks) return role_in_words(finding, row);
  const auto effect = effect_in_words(finding, row);
  return row.role == Role::none || row.role == Role::others ? "no effect shown, " + effect : effect;
}

// What is worth doing next.
std::vector<std::string> next_steps(const Finding& finding, const Named& named) {
  std::vector<std::string> steps;
  if (finding.kind == Kind::old_fails)
    steps.push_back(fmt::format("another OLD, which runs; where {} runs, the same command with the two exchanged says what mends it", named.new_end));
  if (finding.may_have_first_bad) steps.push_back("which version it began with: the same command with --versions");
  if (finding.kind == Kind::found) steps.push_back("text for an issue: the same command with --format markdown");
  if (finding.kind == Kind::unfinished) steps.push_back("the same command goes on from here");
  return steps;
}

std::string next_text(const Finding& finding, const Named& named, std::size_t width) {
  if (finding.kind == Kind::same) return "";
  std::string text = "\nNext:\n";
  for (const auto& step : next_steps(finding, named)) text += analysis::bullet(step, width);
  return text + "- " + analysis::wrap({"again:", named.command}, 2, "", width) + "\n";
}

// A name that leaves no room for the rest has lines of its own.
std::string table(const Finding& finding, std::size_t width) {
  constexpr std::size_t least = 24, indent = 2, role = 20, gaps = 4;
  std::size_t wide = 0, longest = least;
  for (const auto& row : finding.rows) {
    wide = std::max(wide, analysis::width_of(effect_in_words(finding, row)));
    longest = std::max(longest, analysis::width_of(row.name));
  }
  const auto room = std::max(least, std::min(longest, width - std::min(width, indent + role + gaps + wide)));
  std::string text;
  for (const auto& row : finding.rows) {
    std::string name = row.name;
    if (analysis::width_of(name) > room) {
      text += std::string(indent, ' ') + analysis::wrap(name, 2 * indent, width) + "\n";
      name.clear();
    }
    name.append(room - analysis::width_of(name), ' ');
    text += analysis::trimmed(fmt::format("  {}  {:<{}}  {}", name, role_in_words(finding, row), role, effect_in_words(finding, row))) + "\n";
  }
  return text;
}

Json to_json(const Ratio& ratio) {
  Json json = {{"ratio", ratio.value}, {"rounds", ratio.rounds}, {"shown", ratio.shown}};
  json["interval"] = ratio.low ? Json::array({*ratio.low, *ratio.high}) : Json();
  return json;
}

Json to_json(const FindingRow& row) {
  Json json = {{"name", row.name}, {"role", to_string(row.role)}, {"changes", row.changes}, {"because", row.because}};
  json["effect"] = to_json(*row.effect);
  json["old_with_it"] = to_json(*row.low);
  json["new_with_it"] = to_json(*row.high);
  return json;
}

Json to_json(const FirstBad& first) {
  Json json = {{"package", first.package}, {"text", first.text}, {"tried", first.tried}, {"between", first.between}, {"skipped", first.skipped}};
  json["good"] = first.good.empty() ? Json() : Json(first.good);
  json["bad"] = first.bad.empty() ? Json() : Json(first.bad);
  json["effect"] = first.effect ? to_json(*first.effect) : Json();
  return json;
}

const char* to_string(Kind kind) {
  switch (kind) {
    case Kind::found: return "found";
    case Kind::none: return "none";
    case Kind::same: return "same";
    case Kind::old_fails: return "old_fails";
    case Kind::new_fails: return "new_fails";
    case Kind::unfinished: return "unfinished";
  }
  return "unfinished";
}

Json between_json(const Between& between) {
  Json groups = Json::array();
  for (std::size_t i = 0; i < between.groups.size(); ++i) {
    Json changes = Json::array();
    for (const auto change : between.groups[i].changes) {
      const auto& one = between.changes[change];
      changes.push_back({{"component", one.component},
                         {"old", one.old_version.empty() ? Json() : Json(one.old_version)},
                         {"new", one.new_version.empty() ? Json() : Json(one.new_version)}});
    }
    groups.push_back({{"name", group_in_words(between, i)}, {"changes", changes}, {"because", between.groups[i].because}, {"needs", between.groups[i].needs}});
  }
  return {{"groups", groups}, {"valid_stacks", between.valid_stacks}};
}

}  // namespace

std::string plan_text(const Asked& asked, const Expected& expected, std::size_t width) {
  const auto& between = asked.between;
  const auto first = fmt::format("{} {}, in {} that can be told apart; {} valid {} between the ends; usually about {}{}{}{}",
                                 counted(between.changes.size(), "component"), between.changes.size() == 1 ? "differs" : "differ",
                                 counted(between.groups.size(), "group"), between.valid_stacks.empty() ? "very many" : between.valid_stacks,
                                 between.valid_stacks == "1" ? "stack" : "stacks", counted(expected.inspections, "inspection"),
                                 expected.seconds ? ", " + workspace::duration(*expected.seconds) : "",
                                 expected.allowed < expected.inspections ? fmt::format(", of which the budget allows {}", expected.allowed) : "",
                                 expected.versions ? "; and what --versions takes, which is told once the change is found" : "");
  std::string text = analysis::wrap(first, 0, width) + "\n";
  for (std::size_t i = 0; i < between.groups.size(); ++i) {
    const auto& group = between.groups[i];
    text += fmt::format("  {:>2}  {}\n", i + 1, analysis::wrap(group_in_words(between, i, 6), 6, width));
    if (group.changes.size() < 2) continue;
    for (std::size_t k = 0; k < std::min(group.because.size(), most_reasons); ++k)
      text += "      " + analysis::wrap(group.because[k], 6, width) + "\n";
    if (group.because.size() > most_reasons) text += fmt::format("      and {} more\n", counted(group.because.size() - most_reasons, "reason"));
  }
  text += analysis::wrap(fmt::format("Measured {}.", asked.where), 0, width) + "\n";
  for (const auto& one : asked.reported) text += analysis::wrap("Reported by others, " + one, 2, width) + "\n";
  return text;
}

Json plan_json(const Asked& asked, const Expected& expected) {
  auto json = between_json(asked.between);
  json["usual_inspections"] = expected.inspections;
  json["usual_seconds"] = expected.seconds ? Json(*expected.seconds) : Json();
  json["where"] = asked.where;
  json["reported"] = asked.reported;
  return json;
}

std::string finding_text(const Finding& finding, const Named& named, std::size_t width) {
  std::string text = analysis::wrap(finding.headline, 0, width) + "\n";
  if (finding.first_bad) text += analysis::wrap(finding.first_bad->text, 0, width) + "\n";
  if (!finding.rows.empty()) text += "\n" + table(finding, width);
  if (!finding.because.empty()) text += "\nBecause:\n";
  for (const auto& sentence : finding.because) text += analysis::bullet(sentence, width);
  text += next_text(finding, named, width);
  if (!finding.notes.empty()) text += "\nNotes:\n";
  for (const auto& note : finding.notes) text += analysis::bullet(note, width);
  return text;
}

std::string finding_markdown(const Finding& finding, const Named& named, const Trial& trial) {
  using analysis::escape_markdown;
  std::string text = fmt::format("**{}**\n", escape_markdown(finding.headline));
  if (finding.first_bad) text += "\n" + escape_markdown(finding.first_bad->text) + "\n";
  if (!finding.rows.empty()) {
    text += "\n| change | effect | old end with only it | new end, with it over without it | rounds |\n|---|---|---|---|---|\n";
    for (const auto& row : finding.rows)
      text += fmt::format("| {} | {} | {} | {} | {} |\n", escape_markdown(row.name), effect_in_markdown(finding, row),
                          finding.breaks ? old_with_it(finding, row) : row.low->text(),
                          finding.breaks ? fmt::format("without it {}", new_without_it(finding, row)) : row.high->text(), row.low->rounds);
  }
  text += "\n";
  for (const auto& sentence : finding.because) text += "- " + escape_markdown(sentence) + "\n";
  if (!trial.amount_remark.empty()) text += "- " + escape_markdown(trial.amount_remark) + "\n";
  if (trial.new_end) {
    const auto& host = trial.new_end->host;
    text += fmt::format("- On {}, {}, {}\n", escape_markdown(host.cpu.model), escape_markdown(host.os + " " + host.os_version), escape_markdown(trial.new_end->runner));
  }
  text += fmt::format("\nMeasured by stackx; to repeat it:\n\n```console\n$ {}\n```\n", named.command);
  for (const auto& row : finding.rows) {
    if (row.changes.size() < 2) continue;
    text += fmt::format("\n<details><summary>{}: {}</summary>\n\n", escape_markdown(row.name), counted(row.changes.size(), "change"));
    for (const auto& change : row.changes) text += "- " + escape_markdown(change) + "\n";
    for (const auto& reason : row.because) text += "- " + escape_markdown(reason) + "\n";
    text += "\n</details>\n";
  }
  return text;
}

Json finding_json(const Finding& finding, const Between& between, const Trial& trial, const Settings& settings, const Named& named) {
  Json json = between_json(between);
  json["$schema"] = "stackx/blame/1";
  json["answer"] = {{"text", finding.headline}, {"kind", to_string(finding.kind)}, {"complete", trial.answer.complete}, {"because", finding.because}};
  json["old"] = named.old_end;
  json["new"] = named.new_end;
  json["metric"] = finding.metric.word();
  json["total"] = to_json(finding.total);
  json["rows"] = Json::array();
  for (const auto& row : finding.rows) json["rows"].push_back(to_json(row));
  json["first_bad"] = finding.first_bad ? to_json(*finding.first_bad) : Json();
  json["error"] = settings.error;
  json["delta"] = settings.delta;
  json["noise"] = trial.answer.noise;
  const auto& cost = trial.cost;
  json["cost"] = {{"stacks", cost.stacks.size()}, {"inspections", cost.inspections}, {"rounds", cost.rounds}, {"seconds", cost.seconds}};
  json["campaigns"] = trial.campaigns;
  json["command"] = named.command;
  json["notes"] = finding.notes;
  return json;
}

}  // namespace stackx::blame
