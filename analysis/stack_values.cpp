#include "analysis/stack_values.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/statistics.hpp"

namespace stackx::analysis {
namespace {

struct Cell {
  std::size_t stack;
  std::size_t round;  // no_round: of no campaign
  double log_rate;
};
constexpr auto no_round = static_cast<std::size_t>(-1);

// The median over the cells of each group (stack or round) of the log rate less the other's part.
std::vector<double> medians(const std::vector<Cell>& cells, std::size_t Cell::*group,
                            std::size_t groups, std::size_t Cell::*other,
                            const std::vector<double>& part) {
  std::vector<std::vector<double>> rest(groups);
  for (const Cell& cell : cells)
    if (cell.*group != no_round)
      rest[cell.*group].push_back(cell.log_rate -
                                  (cell.*other == no_round ? 0 : part[cell.*other]));
  std::vector<double> result;
  for (const auto& values : rest) result.push_back(median(values));
  return result;
}

double furthest(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

// The median inspection's shift becomes 0.
void center(std::vector<double>& shifts, const std::vector<Cell>& cells) {
  std::vector<double> of_cells;
  for (const Cell& cell : cells)
    if (cell.round != no_round) of_cells.push_back(shifts[cell.round]);
  if (of_cells.empty()) return;
  const double middle = median(of_cells);
  for (double& shift : shifts) shift -= middle;
}

}  // namespace

std::vector<StackValue> stack_values(const Rates& all) {
  constexpr int most_sweeps = 100;  // a handful is usual; medians may also oscillate by a hair
  constexpr double still = 1e-9;
  std::vector<StackValue> result;
  std::vector<Cell> cells;
  std::map<Slot, std::size_t> rounds;
  for (const StackRates& stack : all.stacks) {
    if (stack.values.empty()) continue;
    for (const Value& value : stack.values) {
      const bool single = std::get<0>(value.slot).empty();
      const auto round = single ? no_round : rounds.try_emplace(value.slot, rounds.size()).first->second;
      cells.push_back({result.size(), round, std::log(value.rate)});
    }
    result.push_back({stack.stack, 0, stack.values.size(), median(rates(stack))});
  }
  std::vector<double> shifts(rounds.size(), 0.0);
  std::vector<double> values;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    values = medians(cells, &Cell::stack, result.size(), &Cell::round, shifts);
    auto moved = medians(cells, &Cell::round, rounds.size(), &Cell::stack, values);
    center(moved, cells);
    const bool done = furthest(moved, shifts) < still;
    shifts = std::move(moved);
    if (done) break;
  }
  values = medians(cells, &Cell::stack, result.size(), &Cell::round, shifts);
  for (std::size_t i = 0; i < result.size(); ++i) result[i].log_rate = values[i];
  return result;
}

}  // namespace stackx::analysis
