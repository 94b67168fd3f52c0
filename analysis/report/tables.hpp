// The report's tables: what HTML, Markdown and CSV all show, and what stands beside each chart for
// those who cannot see it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/report/report.hpp"

namespace stackx::analysis {

// A text, or a number: as people read it, and in full for CSV.
struct Cell {
  std::string text;
  std::optional<double> number = {};
};

enum class Shown { always, to_people, in_csv };  // people read an interval as one, programs as two

struct TableColumn {
  std::string key;    // in CSV: "ci_low"
  std::string title;  // for people, with the unit
  bool numeric = false;
  Shown shown = Shown::always;
};

struct ReportTable {
  std::string name;  // "ranking"
  std::string title, caption;
  std::vector<TableColumn> columns;
  std::vector<std::vector<Cell>> rows;
};

// Those that have rows, in reading order: ranking, unranked, distributions, spread_samples,
// spread_inspections, sizes, effects, blamed, nodes, rounds, round_rates, failures, sentinels, machines,
// campaigns, values. The last one has a row for every inspection and is for CSV.
std::vector<ReportTable> tables(const Report& report);

// What a page has room for: the first rows, and where there are more, a caption that says so and where all are.
inline constexpr std::size_t most_rows = 500;
ReportTable for_people(ReportTable table);

}  // namespace stackx::analysis
