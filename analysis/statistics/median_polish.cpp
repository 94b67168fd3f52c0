#include "analysis/statistics/median_polish.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/statistics/statistics.hpp"

namespace stackx::analysis {
namespace {

constexpr int most_polish_steps = 20;  // it nearly always settles in three

std::optional<double> median_of_column(const Table& table, std::size_t column) {
  std::vector<double> values;
  for (const auto& row : table)
    if (row[column]) values.push_back(*row[column]);
  return values.empty() ? std::nullopt : std::optional(median(values));
}

std::optional<double> median_of_row(const std::vector<std::optional<double>>& row) {
  std::vector<double> values;
  for (const auto& cell : row)
    if (cell) values.push_back(*cell);
  return values.empty() ? std::nullopt : std::optional(median(values));
}

// Subtracts each row's (or column's) median from its cells and adds it to its effect; the largest.
double sweep(Table& table, std::vector<std::optional<double>>& effects, bool rows) {
  double largest = 0;
  for (std::size_t i = 0; i < effects.size(); ++i) {
    const auto center = rows ? median_of_row(table[i]) : median_of_column(table, i);
    if (!center) continue;
    effects[i] = effects[i].value_or(0) + *center;
    largest = std::max(largest, std::abs(*center));
    for (std::size_t k = 0; k < (rows ? table[i].size() : table.size()); ++k)
      if (auto& cell = rows ? table[i][k] : table[k][i]) *cell -= *center;
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
  Table rest = table;
  const std::size_t columns = table.empty() ? 0 : table.front().size();
  Polished result{std::vector<std::optional<double>>(table.size()),
                  std::vector<std::optional<double>>(columns),
                  {}};
  for (int step = 0; step < most_polish_steps; ++step) {
    const double rows = sweep(rest, result.arms, true);
    if (sweep(rest, result.rounds, false) + (step > 0 ? rows : 0) < 1e-9) break;
  }
  center(result);
  for (const auto& row : rest)
    for (const auto& cell : row)
      if (cell) result.residuals.push_back(*cell);
  return result;
}

}  // namespace stackx::analysis
