#include "analysis/statistics/drift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "analysis/statistics/median_polish.hpp"
#include "analysis/statistics/statistics.hpp"
#include "specs/random.hpp"

namespace stackx::analysis {
namespace {

constexpr std::size_t least_rounds = 6, least_segment = 3;
constexpr int permutations = 999;

// Mid-ranks from 1.
std::vector<double> ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> result(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i)
      result[order[i]] = static_cast<double>(begin + end + 1) / 2;
    begin = end;
  }
  return result;
}

// Pettitt's K: the largest sum of centred ranks, over splits that leave `least_segment` on both sides.
double pettitt(const std::vector<double>& ranks) {
  const double center = static_cast<double>(ranks.size() + 1) / 2;
  double largest = 0, sum = 0;
  for (std::size_t i = 0; i + least_segment < ranks.size(); ++i) {
    sum += ranks[i] - center;
    if (i + 1 >= least_segment) largest = std::max(largest, std::abs(sum));
  }
  return largest;
}

double absolute_deviations(std::span<const double> values) {
  const double center = median(values);
  double sum = 0;
  for (const double value : values) sum += std::abs(value - center);
  return sum;
}

// Where two medians fit best. K says that there is a change; its own place is pulled towards the
// middle where the parts are unequal.
std::size_t best_split(std::span<const double> values) {
  std::size_t best = least_segment;
  double least = HUGE_VAL;
  for (std::size_t at = least_segment; at + least_segment <= values.size(); ++at) {
    const double misfit =
        absolute_deviations(values.first(at)) + absolute_deviations(values.subspan(at));
    if (misfit < least) {
      least = misfit;
      best = at;
    }
  }
  return best;
}

double permutation_p(std::vector<double> ranks, double statistic, specs::Random& random) {
  int as_large = 1;  // the order that was seen
  for (int i = 0; i < permutations; ++i) {
    random.shuffle(ranks);
    as_large += pettitt(ranks) >= statistic;
  }
  return static_cast<double>(as_large) / (permutations + 1);
}

struct Cut {
  std::size_t at;
  double p;
};

void segment(std::span<const double> values, std::size_t offset, double alpha,
             specs::Random& random, std::vector<Cut>& cuts) {
  if (values.size() < least_rounds) return;
  const std::vector<double> ranked = ranks(values);
  const double p = permutation_p(ranked, pettitt(ranked), random);
  if (p > alpha) return;
  const std::size_t split = best_split(values);
  segment(values.first(split), offset, alpha, random, cuts);
  cuts.push_back({offset + split, p});
  segment(values.subspan(split), offset + split, alpha, random, cuts);
}

// Where a value stands among all: a place of its own, and where the values that are not above it end.
struct Place {
  std::uint32_t own = 0, end = 0;
};

std::vector<Place> places_of(std::span<const double> values) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return values[i]; });
  std::vector<Place> result(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) result[order[i]] = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(end)};
    begin = end;
  }
  return result;
}

// Kendall's tau of values and their order, for one order after another of the same values. Pairs that stand the wrong way
// round are counted as the values come: behind how many larger ones each stands. The places taken so far are bits, and
// before each word of them stands how many there are; of some thousand rounds that is ten times faster than merging.
class Kendall {
 public:
  explicit Kendall(const std::vector<Place>& places) : bits_((places.size() + 63) / 64), before_(bits_.size() + 1) {
    const std::uint64_t n = places.size();
    pairs_ = n < 2 ? 0 : n * (n - 1) / 2;
    for (const Place& place : places) ties_ += place.end - place.own - 1;
  }

  double operator()(std::span<const Place> order) {
    if (pairs_ == 0) return 0;
    const std::uint64_t discordant = inversions(order);
    const double concordant = static_cast<double>(pairs_ - ties_ - discordant) - static_cast<double>(discordant);
    return concordant / static_cast<double>(pairs_);
  }

 private:
  std::uint64_t inversions(std::span<const Place> order) {
    std::ranges::fill(bits_, 0);
    std::ranges::fill(before_, 0);
    std::uint64_t count = 0;
    std::uint32_t taken = 0;
    for (const Place& place : order) {
      const std::size_t word = place.end / 64;
      const std::uint64_t below = place.end % 64 == 0 ? 0 : bits_[word] << (64 - place.end % 64);
      count += taken++ - before_[word] - static_cast<std::uint32_t>(std::popcount(below));
      bits_[place.own / 64] |= std::uint64_t{1} << place.own % 64;
      for (std::size_t i = place.own / 64 + 1; i < before_.size(); ++i) ++before_[i];
    }
    return count;
  }

  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> before_;
  std::uint64_t pairs_ = 0, ties_ = 0;
};

// Tau, and how often an order by chance has as much of it.
std::pair<double, double> trend_of(std::span<const double> values, specs::Random& random) {
  std::vector<Place> places = places_of(values);
  Kendall kendall(places);
  const double tau = kendall(places);
  int as_large = 1;
  for (int i = 0; i < permutations; ++i) {
    random.shuffle(places);
    as_large += std::abs(kendall(places)) >= std::abs(tau);
  }
  return {tau, static_cast<double>(as_large) / (permutations + 1)};
}

std::vector<ChangePoint> changes_of(const std::vector<RoundShift>& rounds,
                                    const std::vector<double>& shifts, double alpha,
                                    specs::Random& random) {
  std::vector<Cut> cuts;
  segment(shifts, 0, alpha, random, cuts);
  std::vector<ChangePoint> changes;
  const std::span<const double> all(shifts);
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : cuts[i - 1].at;
    const std::size_t end = i + 1 < cuts.size() ? cuts[i + 1].at : shifts.size();
    const double before = median(all.subspan(begin, cuts[i].at - begin));
    const double after = median(all.subspan(cuts[i].at, end - cuts[i].at));
    changes.push_back({rounds[cuts[i].at].round, std::exp(after - before), cuts[i].p});
  }
  return changes;
}

// What a campaign measured: arms in rows, rounds in columns.
struct Grid {
  std::map<std::string, std::size_t> arms;
  std::map<std::uint64_t, std::size_t> rounds;
  std::vector<std::tuple<std::size_t, std::uint64_t, double>> values;  // arm, round, log rate

  void add(const Value& value) {
    const std::uint64_t round = std::get<1>(value.slot);
    const auto arm = arms.emplace(value.measurement->arm, arms.size()).first->second;
    rounds.emplace(round, 0);
    values.emplace_back(arm, round, std::log(value.amount));
  }
  Table table() {
    std::size_t column = 0;
    for (auto& [round, index] : rounds) index = column++;
    Table result(arms.size(), std::vector<std::optional<double>>(rounds.size()));
    for (const auto& [arm, round, rate] : values) result[arm][rounds.at(round)] = rate;
    return result;
  }
};

std::map<std::string, Grid> by_campaign(const Rates& rates) {
  std::map<std::string, Grid> grids;
  for (const auto* list : {&rates.stacks, &rates.sentinels})
    for (const StackRates& stack : *list)
      for (const Value& value : stack.values)
        if (!std::get<0>(value.slot).empty()) grids[std::get<0>(value.slot)].add(value);
  return grids;
}

Drift drift_of(const std::string& campaign, Grid& grid, double confidence, std::uint64_t seed) {
  Drift result;
  result.campaign = campaign;
  const Table table = grid.table();
  const Polished polished = median_polish(table);
  std::vector<double> shifts;
  for (const auto& [round, column] : grid.rounds) {
    if (!polished.rounds[column]) continue;
    const auto ran =
        std::ranges::count_if(table, [&](const auto& row) { return row[column].has_value(); });
    result.rounds.push_back({round, static_cast<std::size_t>(ran), *polished.rounds[column]});
    shifts.push_back(*polished.rounds[column]);
  }
  specs::Random random(specs::derive_seed(seed, "drift"));
  result.spread = scaled_mad(shifts);
  result.noise = scaled_mad(polished.residuals);
  std::tie(result.trend, result.trend_p) = trend_of(shifts, random);
  result.changes = changes_of(result.rounds, shifts, 1 - confidence, random);
  return result;
}

std::string describe(const Drift& drift, const ChangePoint& change) {
  return fmt::format("campaign {}: from round {} on the machine ran at ×{:.3f} (p {} {:.3f})",
                     drift.campaign.substr(0, 12), change.round, change.ratio,
                     change.p <= 1.0 / (permutations + 1) ? "<=" : "=", change.p);
}

}  // namespace

std::vector<Drift> drift(const Rates& rates, double confidence, std::uint64_t seed) {
  std::vector<Drift> result;
  for (auto& [campaign, grid] : by_campaign(rates))
    if (grid.rounds.size() >= least_rounds && grid.arms.size() >= 2)
      result.push_back(drift_of(campaign, grid, confidence, seed));
  return result;
}

std::vector<std::string> lines(const std::vector<Drift>& drifts, double confidence) {
  std::vector<std::string> result;
  for (const Drift& drift : drifts) {
    for (const ChangePoint& change : drift.changes) result.push_back(describe(drift, change));
    if (drift.changes.empty() && drift.trend_p <= 1 - confidence)
      result.push_back(fmt::format(
          "campaign {}: the machine became {} as it ran (Kendall's tau {:+.2f}, p = {:.3f}, {} "
          "rounds); pairs drift together, so verdicts do not suffer",
          drift.campaign.substr(0, 12), drift.trend > 0 ? "faster" : "slower", drift.trend,
          drift.trend_p, drift.rounds.size()));
  }
  return result;
}

}  // namespace stackx::analysis
