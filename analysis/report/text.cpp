#include "analysis/report/text.hpp"

#include <fmt/format.h>

#include "analysis/report/csv.hpp"
#include "analysis/text/markdown.hpp"
#include "specs/format/printable.hpp"

namespace stackx::analysis {
namespace {

std::string table_markdown(const ReportTable& whole) {
  const ReportTable table = for_people(whole);
  std::string text =
      fmt::format("## {}\n\n{}\n\n|", escape_markdown(table.title), escape_markdown(table.caption));
  for (const TableColumn& column : table.columns)
    if (column.shown != Shown::in_csv) text += " " + escape_markdown(column.title) + " |";
  text += "\n|";
  for (const TableColumn& column : table.columns)
    if (column.shown != Shown::in_csv) text += column.numeric ? "---:|" : "---|";
  text += "\n";
  for (const auto& row : table.rows) {
    text += "|";
    for (std::size_t i = 0; i < row.size(); ++i)
      if (table.columns[i].shown != Shown::in_csv)
        text += " " + (row[i].text.empty() ? "–" : escape_markdown(row[i].text)) + " |";
    text += "\n";
  }
  return text + "\n";
}

std::string list_markdown(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "- " + escape_markdown(line) + "\n";
  return text.empty() ? "" : text + "\n";
}

}  // namespace

std::string markdown(const Report& report) {
  std::string text = fmt::format("# {}\n\n{}\n\n", escape_markdown(report.answer), escape_markdown(report.question));
  auto basis = report.headline.context;
  basis.insert(basis.end(), report.headline.cautions.begin(), report.headline.cautions.end());
  text += list_markdown(basis);
  for (const ReportTable& table : tables(report)) {
    if (table.name == "values") continue;  // CSV and JSON have it
    text += table_markdown(table);
    if (table.name == "ranking") text += list_markdown(report.ranking.notes);
    if (table.name == "nodes") text += list_markdown(lines(*report.ranking.nodes));
    if (table.name == "rounds")
      text += list_markdown(lines(report.drifts, report.ranking.confidence));
  }
  text += "## How to reproduce this\n\n";
  for (const std::string& command : report.commands) text += "    " + specs::printable(command) + "\n";
  return text;
}

std::string csv(const ReportTable& table) {
  std::string text;
  const auto line = [&](auto field) {
    bool first = true;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (table.columns[i].shown == Shown::to_people) continue;
      text += (first ? "" : ",") + csv_field(field(i));
      first = false;
    }
    text += "\r\n";
  };
  line([&](std::size_t i) { return table.columns[i].key; });
  for (const auto& row : table.rows)
    line([&](std::size_t i) {
      return row[i].number ? fmt::format("{}", *row[i].number) : row[i].text;
    });
  return text;
}

}  // namespace stackx::analysis
