#include "analysis/report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/report/files.hpp"
#include "analysis/report/page_template.hpp"
#include "analysis/report/tables.hpp"
#include "analysis/report/workers.hpp"
#include "analysis/text/table.hpp"
#include "specs/format/printable.hpp"

namespace stackx::analysis {
namespace {

using Values = std::map<std::string, std::string>;

constexpr std::size_t charted = 30, lines_charted = 12;  // as page.js has them

std::string element(const char* tag, const char* attributes, const std::string& text) {
  return fmt::format("<{0}{1}>{2}</{0}>", tag, attributes, text);
}

const char* class_of(const TableColumn& column) {
  if (column.key == "stack") return " class=\"stack\"";
  if (column.key == "id") return " class=\"id\"";
  return column.numeric ? " class=\"number\"" : "";
}

std::string table_html(const ReportTable& whole) {
  const ReportTable table = for_people(whole);
  std::string head, body;
  for (const TableColumn& column : table.columns)
    if (column.shown != Shown::in_csv)
      head += element("th", column.numeric ? " scope=\"col\" class=\"number\"" : " scope=\"col\"",
                      escape_html(column.title));
  for (const auto& row : table.rows) {
    std::string cells;
    for (std::size_t i = 0; i < row.size(); ++i)
      if (table.columns[i].shown != Shown::in_csv)
        cells += element("td", class_of(table.columns[i]), escape_html(row[i].text));
    body += element("tr", "", cells) + "\n";
  }
  // The explanation stands before what scrolls: a caption would be as wide as the table.
  return fmt::format(
      "<p class=\"note\">{1}</p><div class=\"scroll\" role=\"region\" tabindex=\"0\" "
      "aria-label=\"{0}\"><table "
      "class=\"{2}\"><caption>{0}</caption>\n<thead><tr>{3}</tr></thead>\n"
      "<tbody>\n{4}</tbody></table></div>\n",
      escape_html(table.title), escape_html(table.caption), table.name, head, body);
}

std::string list_html(const std::vector<std::string>& lines) {
  std::string items;
  for (const std::string& line : lines) items += element("li", "", escape_html(line)) + "\n";
  return items.empty() ? "" : element("ul", "", items);
}

// What no chart draws is left out. Inside a script element only "<" can do harm: it begins "</script" and "<!--".
std::string json_for_script(const Report& report) {
  auto document = to_json(report);
  for (std::size_t i = charted; i < document["distributions"].size(); ++i)
    for (const char* points : {"rates", "rounds"}) document["distributions"][i][points] = nlohmann::json::array();
  for (const char* rows : {"/distributions", "/ranking/recommendations", "/ranking/failed", "/sizes/curves"}) {
    const nlohmann::json::json_pointer place(rows);
    if (!document.contains(place)) continue;
    auto& list = document[place];
    if (list.size() > most_rows) list.erase(list.begin() + most_rows, list.end());
  }
  std::string text = document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string safe;
  for (const char c : text) {
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

std::string library_for_script(std::string_view library) {
  std::string text(library);
  for (std::size_t at = 0; (at = text.find("</script", at)) != std::string::npos; at += 2)
    text.insert(at + 1, "\\");
  return text;
}

std::string sentinels_text(const Report& report) {
  const Sentinels& of = report.ranking.sentinels;
  if (of.tests.empty()) return "";
  if (of.able == 0)
    return fmt::format("{} sentinels, too few rounds to call any of them different",
                       of.tests.size());
  std::string text =
      fmt::format("{} of {} called different ({:.1f}%", of.different, of.able,
                  100.0 * static_cast<double>(of.different) / static_cast<double>(of.able));
  if (of.rate)
    text += fmt::format(", {:g}% CI {:.1f} to {:.1f}%", 100 * report.ranking.confidence,
                        100 * of.rate->low, 100 * of.rate->high);
  return text + ")";
}

std::string versions_text(const std::vector<std::string>& versions) {
  std::string text;
  for (const std::string& version : versions)
    text += (text.empty() ? "" : ", ") + (version.empty() ? "absent" : version);
  return text;
}

std::vector<std::string> confounded_lines(const Effects& effects) {
  std::vector<std::string> result;
  for (const Confounded& one : effects.confounded) {
    std::string groups;
    for (const auto& group : one.groups)
      groups += (groups.empty() ? "" : " | ") + versions_text(group);
    result.push_back(
        fmt::format("{}: {}; it varies with {}", one.component, groups, fmt::join(one.with, ", ")));
  }
  return result;
}

// "4812", of a sample "312 read of 12445".
std::string inspections_text(const Report& report) {
  std::size_t read = 0, measured = 0;
  for (const Recommendation& row : report.ranking.recommendations) {
    read += row.inspections;
    measured += row.measured;
  }
  return measured == read ? std::to_string(read) : fmt::format("{} read of {}", read, measured);
}

std::string failed_text(const Report& report) {
  std::size_t failed = 0;
  if (report.ranking.population && !report.ranking.population->stacks.empty())
    for (const auto* rows : {&report.ranking.recommendations, &report.ranking.failed})
      for (const Recommendation& row : *rows) failed += row.failed();
  else
    for (const FailureReason& failure : report.failures) failed += failure.inspections;
  return std::to_string(failed);
}

std::string common_text(const Report& report) {
  std::string text;
  for (const auto& [name, version] : report.common)
    text += (text.empty() ? "" : ", ") + name + " " + version;
  return text.empty() ? "nothing" : text;
}

// Lines may break after commas; copied, the text is the same.
std::string breakable(const std::string& escaped) {
  std::string result;
  for (const char c : escaped) (result += c) += c == ',' ? "<wbr>" : "";
  return result;
}

Values facts(const Report& report) {
  const std::size_t n = report.distributions.size();
  const auto& yardstick = report.ranking.yardstick;
  const auto noun = yardstick.noun();
  const bool scaling = report.sizes && report.sizes->axis == workers_axis;
  return {
      {"question", report.question},
      {"answer", report.answer},
      {"workload", report.ranking.workload.text()},
      {"hardware", report.ranking.hw},
      {"noun", noun},
      {"nouns", yardstick.is_rate() ? "rates" : noun},
      {"value", yardstick.is_rate() ? "the median rate of its samples" : noun},
      {"unit", report.ranking.unit.empty() ? "itself" : report.ranking.unit},
      {"common", common_text(report)},
      {"stacks", std::to_string(n)},
      {"unranked_stacks", std::to_string(report.ranking.failed.size())},
      {"inspections", inspections_text(report)},
      {"failed_inspections", failed_text(report)},
      {"sentinel_rate", sentinels_text(report)},
      {"delta", fmt::format("{:g}", 100 * report.ranking.delta)},
      {"confidence", fmt::format("{:g}", 100 * report.ranking.confidence)},
      {"draws", std::to_string(report.spread.draws)},
      {"size_word", scaling ? "workers" : "size"},
      {"size_title", scaling ? "Workers" : "Size"},
      {"size_words", scaling ? "The same training on several workers, each with a batch of its own." : "The same workload in several sizes."},
      {"size_axis", report.sizes ? report.sizes->axis : ""},
      {"shown", std::to_string(std::min(n, charted))},
      {"limited", n > charted ? fmt::format("The charts show the best {} of {} stacks; the "
                                            "tables show {}.",
                                            charted, n, n > most_rows ? "more" : "all")
                              : ""},
      {"lines_shown", n > lines_charted
                          ? fmt::format("Lines of the best {} of {} stacks, some hidden at first; "
                                        "the legend shows and hides.",
                                        lines_charted, n)
                          : "The legend shows and hides."},
      {"sampled", report.ranking.population ? line(*report.ranking.population) : ""},
      {"version", report.stackx_version}};
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string result;
  for (const char c : specs::printable(text, specs::Keep::lines)) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else if (c == '\'')
      result += "&#39;";
    else
      result += c;
  }
  return result;
}

std::string html(const Report& report, std::string_view chart_library,
                 const std::string& chart_note) {
  Values values;
  for (const auto& [name, text] : facts(report)) values[name] = escape_html(text);
  values["workload"] = breakable(values["workload"]);
  for (const char* name :
       {"ranking", "unranked", "distributions", "spread_samples", "spread_inspections", "sizes",
        "effects", "blamed", "nodes", "rounds", "round_rates", "failures", "sentinels", "machines", "campaigns"})
    values[std::string("table_") + name] = "";
  for (const ReportTable& table : tables(report)) values["table_" + table.name] = table_html(table);
  auto basis = report.headline.context;
  basis.insert(basis.end(), report.headline.cautions.begin(), report.headline.cautions.end());
  values["basis"] = list_html(basis);
  values["notes"] = list_html(report.ranking.notes);
  values["node_notes"] = report.ranking.nodes ? list_html(lines(*report.ranking.nodes)) : "";
  values["drift_notes"] = list_html(lines(report.drifts, report.ranking.confidence));
  values["effect_notes"] = list_html(report.effects.notes);
  values["confounded"] = list_html(confounded_lines(report.effects));
  values["condition_notes"] = list_html(lines(report.conditions));
  values["commands"] = escape_html(fmt::format("{}", fmt::join(report.commands, "\n")));
  values["without_batch"] =
      report.sizes && report.sizes->without_batch > 0
          ? fmt::format(
                "{} inspections do not say how many operations a sample has: one is assumed.",
                report.sizes->without_batch)
          : "";
  values["style"] = report_style();
  values["script"] = report_script();
  values["library"] = library_for_script(chart_library);
  values["chart_note"] = chart_library.empty() ? escape_html(chart_note) : "";
  values["data"] = json_for_script(report);
  return fill(report_page(), values);
}

}  // namespace stackx::analysis
