#include "serve/pages/best.hpp"

#include <fmt/format.h>

#include "serve/pages/cells.hpp"

namespace stackx::serve::pages {

std::string best_section(const Asked& asked, Parameters parameters, Told told, const std::string& title) {
  const auto reply = asked.must({"v1", "query", "best"}, std::move(parameters));
  std::vector<Column> columns;
  if (told != Told::stack) columns.push_back(count("Rank", "rank"));
  columns.push_back(figure("Rate", "value", "unit"));
  columns.push_back(interval("95% interval", "ci_low", "ci_high"));
  columns.push_back(verdict("Against the best", "verdict"));
  columns.push_back(ratio("Ratio", "ratio_vs_best"));
  columns.push_back(share("CV", "cv"));
  columns.push_back(count("n", "inspections"));
  columns.push_back(count("Failed", "failures"));
  columns.push_back(verdict("Evidence", "evidence"));
  if (told != Told::hardware) columns.push_back(hardware("Hardware", "hardware"));
  columns.push_back(workload("Workload", "workload"));
  if (told != Told::stack) columns.push_back(stack("Stack"));
  columns.push_back(outside("Source", "source"));
  const auto& rows = reply.document.at("rows");
  const auto total = reply.document.at("total").get<std::size_t>();
  auto html = table("best", title, columns, rows);
  if (html.empty()) return "";
  if (rows.size() < total)
    html += paragraph(fmt::format("The first {} of {}.", counted(static_cast<double>(rows.size())), counted(static_cast<double>(total))), "note");
  return section("best", title, html + as_asked(reply));
}

}  // namespace stackx::serve::pages
