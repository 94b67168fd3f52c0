#include "analysis/ranking/headline/standing.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stackx::analysis {

static constexpr double looks_apart = 1.1;  // a ratio beyond this one is told

Rows Sorted::leaders() const {
  Rows rows{best};
  rows.insert(rows.end(), equal.begin(), equal.end());
  rows.insert(rows.end(), open.begin(), open.end());
  std::ranges::stable_sort(rows.begin() + 1, rows.end(), {}, [&](const auto* row) { return -goodness(*row); });
  return rows;
}

Sorted sorted(const Ranking& ranking) {
  Sorted result;
  result.yardstick = ranking.yardstick;
  const auto& yardstick = ranking.yardstick;
  const auto& rows = ranking.recommendations;
  const auto best = std::ranges::find_if(rows, [](const auto& row) { return !row.versus_best; });
  if (best == rows.end()) return result;
  result.best = &*best;
  for (const Recommendation& row : rows) {
    if (!row.versus_best) continue;
    if (result.next == nullptr ||
        std::pair(!row.left_race, result.goodness(row)) > std::pair(!result.next->left_race, result.goodness(*result.next)))
      result.next = &row;
    const Comparison& c = *row.versus_best;
    const bool paired = c.pairs > 0;
    if (c.verdict == Verdict::slower)
      result.slower.push_back(&row);
    else if (c.verdict == Verdict::equivalent)
      result.equal.push_back(&row);
    else if (row.left_race && c.ratio < 1)
      result.left.push_back(&row);
    else if (looks_slower(row, ranking.delta, yardstick) || (!paired && factor(row, *best, yardstick) > looks_apart))
      result.looks.push_back(&row);
    else
      result.open.push_back(&row);
  }
  return result;
}

double factor(const Recommendation& row, const Recommendation& best, const specs::Yardstick& yardstick) {
  const bool paired = row.versus_best && row.versus_best->pairs > 0;
  return times(paired ? row.versus_best->ratio : row.median / best.median, yardstick);
}

bool elsewhere(const Recommendation& row) { return row.evidence == "measured-elsewhere"; }

double times(double ratio, const specs::Yardstick& yardstick) { return yardstick.smaller_is_better() ? ratio : 1 / ratio; }

bool looks_slower(const Recommendation& row, double delta, const specs::Yardstick& yardstick) {
  return row.versus_best && row.versus_best->verdict == Verdict::unresolved && row.versus_best->pairs > 0 &&
         times(row.versus_best->ratio, yardstick) > std::max(looks_apart, 1 + delta);
}

std::string looks_text(const Recommendation& row, double delta, const specs::Yardstick& yardstick) {
  if (!looks_slower(row, delta, yardstick)) return "";
  const Comparison& c = *row.versus_best;
  if (row.left_race) return fmt::format("left a race, ×{:.3f}", c.ratio);
  return fmt::format("looks ×{:.3f}, {}", c.ratio,
                     !c.further_rounds        ? ">10000 rounds short"
                     : *c.further_rounds == 1 ? "1 round short"
                                              : fmt::format("{} rounds short", *c.further_rounds));
}

}  // namespace stackx::analysis
