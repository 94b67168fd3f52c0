// Tukey's median polish: a table of arms and rounds as arm + round + residual, by medians, so that a
// few wild cells do not move the rest. Cells may be absent (an arm that did not run in a round).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace stackx::analysis {

using Table = std::vector<std::vector<std::optional<double>>>;  // [arm][round], rows equally long

struct Polished {
  std::vector<std::optional<double>> arms;    // level of each; absent without a cell
  std::vector<std::optional<double>> rounds;  // shift of each against the median round
  std::vector<double> residuals;              // of the cells there are, arm by arm
};
Polished median_polish(const Table& table);

// The same of a table of which nearly all cells are absent.
struct SparseTable {
  struct Cell {
    std::size_t arm, round;
    double value;
  };
  std::size_t arms = 0, rounds = 0;
  std::vector<Cell> cells;  // arm by arm, in each by round
};
Polished sparse_median_polish(SparseTable table);

}  // namespace stackx::analysis
