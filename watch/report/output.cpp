// A report for people, as text and as Markdown, and for programs (report.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/text/markdown.hpp"
#include "analysis/text/table.hpp"
#include "analysis/text/words.hpp"
#include "specs/format/json.hpp"
#include "watch/report/report.hpp"
#include "watch/report/wording.hpp"

namespace stackx::watch {
namespace {

using specs::Json;
using State = Standing::State;


std::string standing_in_words(const ReportRow& row) {
  if (row.standing.state == State::failed) return specs::to_string(row.standing.outcome);
  return analysis::to_string(row.standing.comparison.verdict);
}

std::string ratio_in_words(const ReportRow& row) {
  return row.standing.state == State::failed || row.standing.comparison.pairs == 0 ? "" : interval_text(row.standing.comparison);
}

// A row each; where a name does not fit beside its figures, these stand below it: both versions must be read.
std::string rows_text(const Report& report, std::size_t width) {
  std::size_t name_wide = 0, verdict_wide = 0, ratio_wide = 0;
  const auto ratio_of_row = [](const ReportRow& row) {
    const auto pairs = row.standing.comparison.pairs;
    return pairs > 0 ? fmt::format("{}, n={}", ratio_in_words(row), pairs) : std::string();
  };
  for (const auto& row : report.rows) {
    verdict_wide = std::max(verdict_wide, standing_in_words(row).size());
    ratio_wide = std::max(ratio_wide, ratio_of_row(row).size());
  }
  const auto room = width - std::min(width, verdict_wide + ratio_wide + 6);
  for (const auto& row : report.rows)
    if (const auto wide = analysis::width_of(short_text(row.newcomer.changes)); wide <= room) name_wide = std::max(name_wide, wide);
  std::string text;
  for (const auto& row : report.rows) {
    const auto name = short_text(row.newcomer.changes);
    const bool fits = analysis::width_of(name) <= name_wide;
    if (!fits) text += fmt::format("  {}\n", name);
    auto line = fmt::format("  {:<{}}  {:<{}}  {}", fits ? name : "", name_wide, standing_in_words(row), verdict_wide, ratio_of_row(row));
    text += analysis::trimmed(std::move(line)) + "\n";
  }
  return text;
}

Json stack_json(const std::optional<Advised>& advised, const std::string& name) {
  if (!advised) return nullptr;
  Json json = {{"name", name}, {"id", advised->stack.id()}, {"stack", advised->stack.components}, {"measured", advised->measured}};
  json["rate"] = advised->median ? Json{{"median", *advised->median}, {"unit", advised->unit}} : Json();
  return json;
}

const char* state_name(State state) {
  switch (state) {
    case State::open: return "open";
    case State::settled: return "settled";
    case State::hopeless: return "hopeless";
    case State::failed: return "failed";
  }
  return "open";
}

Json row_json(const ReportRow& row) {
  Json changes = Json::array();
  for (const auto& one : row.newcomer.changes)
    changes.push_back({{"component", one.component},
                       {"before", one.before.empty() ? Json() : Json(one.before)},
                       {"after", one.after.empty() ? Json() : Json(one.after)}});
  const auto& standing = row.standing;
  const auto& interval = standing.comparison.interval;
  Json json = {{"name", row.newcomer.name()}, {"id", row.newcomer.stack.id()},  {"stack", row.newcomer.stack.components}, {"changes", changes},
               {"newest", row.newcomer.is_newest}, {"older", row.newcomer.is_older}, {"state", state_name(standing.state)}, {"regression", row.is_regression},
               {"told_before", row.was_told}, {"rounds", standing.comparison.pairs}};
  json["verdict"] = standing.state == State::failed ? Json() : Json(analysis::to_string(standing.comparison.verdict));
  json["ratio"] = standing.comparison.pairs > 0 ? Json(standing.comparison.ratio) : Json();
  json["interval"] = interval ? Json::array({interval->low, interval->high}) : Json();
  json["outcome"] = standing.state == State::failed ? Json(specs::to_string(standing.outcome)) : Json();
  json["reason"] = standing.reason.empty() ? Json() : Json(standing.reason);
  json["blame"] = row.blame_document.empty() ? Json() : Json::parse(row.blame_document);
  return json;
}

std::string list_markdown(const std::string& title, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return "";
  std::string text = "\n" + title + "\n\n";
  for (const auto& one : sentences) text += "- " + analysis::escape_markdown(one) + "\n";
  return text;
}

}  // namespace

std::string report_text(const Report& report, std::size_t width) {
  std::string text = analysis::wrap(report.headline, 0, width) + "\n";
  const auto list = [&](const char* title, const std::vector<std::string>& sentences) {
    if (!sentences.empty()) text += fmt::format("\n{}\n", title);
    for (const auto& one : sentences) text += analysis::bullet(one, width);
  };
  if (!report.rows.empty() && report.kind != Report::Kind::planned) text += "\n" + rows_text(report, width);
  list("Because:", report.because);
  list("Next:", report.next);
  list("Notes:", report.notes);
  return text;
}

std::string report_markdown(const Report& report) {
  using analysis::escape_markdown;
  std::string text = fmt::format("**{}**\n", escape_markdown(report.headline));
  if (!report.rows.empty()) {
    text += "\n| new | verdict | rate over what is advised | rounds |\n|---|---|---|---|\n";
    for (const auto& row : report.rows)
      text += fmt::format("| {} | {} | {} | {} |\n", escape_markdown(row.newcomer.name()), standing_in_words(row), ratio_in_words(row), row.standing.comparison.pairs);
  }
  text += list_markdown("Because:", report.because) + list_markdown("Next:", report.next) + list_markdown("Notes:", report.notes);
  text += fmt::format("\nMeasured by stackx; to repeat it:\n\n```console\n$ {}\n```\n", report.command);
  return text;
}

Json report_json(const Report& report) {
  Json rows = Json::array(), invalid = Json::array();
  for (const auto& row : report.rows) rows.push_back(row_json(row));
  for (const auto& one : report.invalid)
    invalid.push_back({{"name", one.name}, {"id", one.stack.id()}, {"stack", one.stack.components}, {"why", one.why}, {"was_advised", one.was_advised}});
  Json json = {{"$schema", "stackx/watch/1"},
               {"answer",
                {{"text", report.headline}, {"kind", to_string(report.kind)}, {"exit_code", report.exit_code()}, {"because", report.because}, {"next", report.next}}},
               {"project", report.project},
               {"workload", report.workload},
               {"hw", report.hardware},
               {"first", report.is_first},
               {"advice_changed", report.advice_changed},
               {"before", stack_json(report.before, report.before_name)},
               {"after", stack_json(report.after, report.after_name)},
               {"newcomers", rows},
               {"invalid", invalid},
               {"waiting", report.waiting},
               {"refreshed", {{"read", report.read}, {"failed", report.refresh_failed}}},
               {"cost", {{"inspections", report.inspections}, {"rounds", report.rounds}, {"seconds", report.seconds}}},
               {"goes_on", report.goes_on},
               {"command", report.command},
               {"notes", report.notes}};
  json["campaign"] = report.campaign.empty() ? Json() : Json(report.campaign);
  return json;
}

}  // namespace stackx::watch
