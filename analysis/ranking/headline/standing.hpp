// How the stacks of a ranking stand to its first, by what is shown of them and what only looks so.
//
// Ranks are ranking.hpp's and stay: a stack that looks 2 times slower may tie, for want of rounds; here it never does
// without that being said. Rejected: a test for "looks slower". Where one could be made, the verdict is not far; where it
// could not, after two rounds, a reader must be told all the same.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/ranking/ranking.hpp"

namespace stackx::analysis {

using Rows = std::vector<const Recommendation*>;

// The rows but the first: slower (shown), equal (shown, within delta), open (neither), looks slower (not shown, but its ratio is
// below 1/1.1), and left a race.
struct Sorted {
  specs::Yardstick yardstick;
  const Recommendation* best = nullptr;
  const Recommendation* next = nullptr;  // by the median; of those that left no race, if there are any
  Rows slower, equal, open, looks, left;

  bool decided() const { return best != nullptr && next != nullptr && equal.empty() && open.empty() && looks.empty(); }
  double goodness(const Recommendation& row) const { return yardstick.smaller_is_better() ? -row.median : row.median; }
  Rows leaders() const;  // the best, then those not told apart from it, the better first
};

Sorted sorted(const Ranking& ranking);  // points into it

// Of the first to the row; by the medians where they share no round.
double factor(const Recommendation& row, const Recommendation& best, const specs::Yardstick& yardstick);
// Not shown to be slower than the best, but its ratio says so: it must not stand as a mere tie.
bool looks_slower(const Recommendation& row, double delta, const specs::Yardstick& yardstick);
// "looks ×0.520, 2 rounds short"; "left a race, ×0.520"; "" where the row does not.
std::string looks_text(const Recommendation& row, double delta, const specs::Yardstick& yardstick);
bool elsewhere(const Recommendation& row);  // measured on another machine
// How many times as good the better of two is, from the ratio of the worse to the better: 2 of a rate's 0.5 and of a memory's 2.
double times(double ratio, const specs::Yardstick& yardstick);

}  // namespace stackx::analysis
