#include "analysis/statistics/median_polish.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/statistics/statistics.hpp"

namespace stackx::analysis {
namespace {

constexpr int most_polish_steps = 20;  // it nearly always settles in three

using SparseCells = std::vector<SparseTable::Cell>;
using LinesOfCells = std::vector<std::vector<std::size_t>>;  // of each row, or column: places of its cells

LinesOfCells lines_of_cells(const SparseCells& cells, std::size_t count, std::size_t SparseTable::Cell::* line) {
  LinesOfCells lines(count);
  for (std::size_t i = 0; i < cells.size(); ++i) lines[cells[i].*line].push_back(i);
  return lines;
}

// Subtracts each line's median from its cells and adds it to its effect; the largest.
double sweep(SparseCells& cells, const LinesOfCells& lines, std::vector<std::optional<double>>& effects) {
  double largest = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    std::vector<double> values;
    for (const std::size_t at : lines[i]) values.push_back(cells[at].value);
    const double center = median(values);
    effects[i] = effects[i].value_or(0) + center;
    largest = std::max(largest, std::abs(center));
    for (const std::size_t at : lines[i]) cells[at].value -= center;
  }
  return largest;
}

// Rounds are shifts against their median; what that takes away is the arms'.
void center(Polished& polished) {
  std::vector<double> shifts;
  for (const auto& shift : polished.rounds)
    if (shift) shifts.push_back(*shift);
  if (shifts.empty()) return;
  const double middle = median(shifts);
  for (auto& shift : polished.rounds)
    if (shift) *shift -= middle;
  for (auto& arm : polished.arms)
    if (arm) *arm += middle;
}

}  // namespace

Polished median_polish(const Table& table) {
  SparseTable sparse{table.size(), table.empty() ? 0 : table.front().size(), {}};
  for (std::size_t arm = 0; arm < table.size(); ++arm)
    for (std::size_t round = 0; round < table[arm].size(); ++round)
      if (const auto& cell = table[arm][round]) sparse.cells.push_back({arm, round, *cell});
  return sparse_median_polish(std::move(sparse));
}

Polished sparse_median_polish(SparseTable table) {
  auto& cells = table.cells;
  const LinesOfCells rows = lines_of_cells(cells, table.arms, &SparseTable::Cell::arm);
  const LinesOfCells columns = lines_of_cells(cells, table.rounds, &SparseTable::Cell::round);
  Polished result{std::vector<std::optional<double>>(table.arms),
                  std::vector<std::optional<double>>(table.rounds),
                  {}};
  for (int step = 0; step < most_polish_steps; ++step) {
    const double largest = sweep(cells, rows, result.arms);
    if (sweep(cells, columns, result.rounds) + (step > 0 ? largest : 0) < 1e-9) break;
  }
  center(result);
  for (const auto& cell : cells) result.residuals.push_back(cell.value);
  return result;
}

}  // namespace stackx::analysis
