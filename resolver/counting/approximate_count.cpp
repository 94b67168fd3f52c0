#include "resolver/counting/approximate_count.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "resolver/explain/excluded.hpp"
#include "resolver/sat/count.hpp"
#include "resolver/sat/founded.hpp"
#include "resolver/tables/space.hpp"

namespace stackx::resolver {
namespace {

constexpr double interval_confidence = 0.95;
constexpr std::uint64_t wanted_hits = 1'000;
constexpr std::uint64_t pilot_draws = 10'000, most_draws = 1'000'000;
const BigInt most_to_hash = BigInt(1) << 40;

class Relaxation {
 public:
  explicit Relaxation(const Problem& problem) : problem_(problem), easier_(problem) {
    pin_excluded();
    for (std::size_t i = 0; i < problem.clauses.size(); ++i) {
      const auto& clause = problem.clauses[i];
      if (clause.owner == CompiledClause::nobody) continue;
      for (std::size_t n = 0; n < clause.needs.size(); ++n) {
        const auto& holders = problem.slots[clause.needs[n].slot].holders;
        for (std::size_t h = 0; h < holders.size(); ++h)
          if (holders[h].component != clause.owner)
            between_[std::minmax(clause.owner, holders[h].component)].push_back({i, n, h});
      }
    }
    for (const auto& [pair, demands] : between_) worth_[pair] = worth(pair, demands);
  }

  const Problem& easier() const { return easier_; }
  bool is_exact() const { return weakened_.empty(); }

  // Weakens what is best between two of these components; false if nothing is left to weaken.
  bool weaken(const std::vector<std::size_t>& components) {
    const auto among = [&](std::size_t c) { return std::ranges::count(components, c) > 0; };
    auto best = worth_.end();
    for (auto at = worth_.begin(); at != worth_.end(); ++at)
      if (at->second > 0 && among(at->first.first) && among(at->first.second) &&
          (best == worth_.end() || at->second > best->second))
        best = at;
    if (best == worth_.end()) return false;
    for (const auto& demand : between_[best->first]) {
      easier_.clauses[demand.clause].needs[demand.need].satisfied[demand.holder] =
          is_conflict(demand) ? VersionSet(holder(demand).versions.size())
                              : holder(demand).versions;
      weakened_.push_back(demand);
    }
    worth_.erase(best);
    return true;
  }

  // A stack of the easier problem is one of the problem.
  bool is_stack(const Choice& choice) const {
    return std::ranges::none_of(weakened_, [&](const Demand& demand) {
      const auto& clause = problem_.clauses[demand.clause];
      const auto owner = choice[clause.owner], other = choice[holder(demand).component];
      return owner >= 0 && other >= 0 && clause.owners[static_cast<std::size_t>(owner)] &&
             bad(demand)[static_cast<std::size_t>(other)] &&
             std::ranges::all_of(clause.if_, [&](const Need& condition) {
               return met(problem_, condition, choice);
             });
    });
  }

 private:
  using Pair = std::pair<std::size_t, std::size_t>;  // of components
  struct Demand {
    std::size_t clause, need, holder;
  };

  const Holder& holder(const Demand& demand) const {
    const auto& clause = problem_.clauses[demand.clause];
    return problem_.slots[clause.needs[demand.need].slot].holders[demand.holder];
  }
  bool is_conflict(const Demand& demand) const {
    return problem_.clauses[demand.clause].clause.kind == Clause::Kind::conflict;
  }
  // The holder's versions that the demand rules out.
  VersionSet bad(const Demand& demand) const {
    const auto& in_range =
        problem_.clauses[demand.clause].needs[demand.need].satisfied[demand.holder];
    return is_conflict(demand) ? in_range : holder(demand).versions - in_range;
  }

  // Versions that are in no stack shall not come back when demands are weakened.
  void pin_excluded() {
    const auto reasons = excluded(problem_);
    for (std::size_t c = 0; c < reasons.size(); ++c) {
      VersionSet possible(reasons[c].size());
      for (std::size_t v = 0; v < reasons[c].size(); ++v) possible[v] = reasons[c][v].empty();
      possible_.push_back(possible);
      if (possible.all()) continue;
      const auto slot = std::ranges::find(problem_.slots, problem_.components[c].name, &Slot::name);
      CompiledClause pin;
      pin.clause.kind = Clause::Kind::pin;
      Need need{static_cast<std::size_t>(slot - problem_.slots.begin()), {}};
      for (const auto& holder : slot->holders)
        need.satisfied.push_back(holder.component == c ? possible : holder.versions);
      pin.needs.push_back(std::move(need));
      easier_.clauses.push_back(std::move(pin));
    }
  }

  // Bits of classes that weakening saves, for each bit of the probability that a draw is a stack;
  // 0 where there is nothing to save.
  double worth(const Pair& pair, const std::vector<Demand>& demands) const {
    const auto [first, second] = pair;
    std::vector<VersionSet> rows(possible_[first].size(), VersionSet(possible_[second].size()));
    for (const auto& demand : demands) {
      const auto& owners = problem_.clauses[demand.clause].owners;
      const auto ruled_out = bad(demand);
      const bool forth = problem_.clauses[demand.clause].owner == first;
      const auto& rows_of = forth ? owners : ruled_out;
      for (auto v = rows_of.find_first(); v != VersionSet::npos; v = rows_of.find_next(v))
        rows[v] |= forth ? ruled_out : owners;
    }
    std::set<VersionSet> classes;
    std::size_t ruled_out = 0, all = 0;
    const auto& possible = possible_[first];
    for (auto v = possible.find_first(); v != VersionSet::npos; v = possible.find_next(v)) {
      const auto row = rows[v] & possible_[second];
      classes.insert(row);
      ruled_out += row.count();
      all += possible_[second].count();
    }
    if (ruled_out == 0 || ruled_out == all) return 0;
    const auto kept = 1 - static_cast<double>(ruled_out) / static_cast<double>(all);
    return std::log2(1.0 + static_cast<double>(classes.size())) / -std::log2(kept);
  }

  const Problem& problem_;
  Problem easier_;
  std::vector<VersionSet> possible_;  // by component
  std::map<Pair, std::vector<Demand>> between_;
  std::map<Pair, double> worth_;  // of what is not weakened yet
  std::vector<Demand> weakened_;
};

std::unique_ptr<Space> relaxed_until_it_fits(Relaxation& relaxation, std::size_t bytes) {
  while (true) {
    auto space = make_space(relaxation.easier(), bytes);
    if (space) return *std::move(space);
    // Each saves about two bits of the largest table; the last ones are chosen one by one.
    const auto excess = std::log2(space.error().bytes / static_cast<double>(bytes));
    for (auto times = std::max(1, static_cast<int>(excess / 4)); times > 0; --times)
      if (!relaxation.weaken(space.error().components)) return nullptr;
  }
}

BigInt times(const BigInt& number, double factor) {  // 0 <= factor <= 1
  return (number * static_cast<std::uint64_t>(std::ldexp(factor, 53))) >> 53;
}

// With the exact interval for a binomial share.
ApproximateCount estimate(const BigInt& all, std::uint64_t hits, std::uint64_t draws) {
  using Binomial = boost::math::binomial_distribution<>;
  const auto met = static_cast<double>(hits), of = static_cast<double>(draws);
  constexpr double each_side = (1 - interval_confidence) / 2;
  const auto high = times(all, Binomial::find_upper_bound_on_p(of, met, each_side)) + 1;
  if (hits == 0) return {high, 0, high, interval_confidence, false};
  return {times(all, met / of), times(all, Binomial::find_lower_bound_on_p(of, met, each_side)),
          high, interval_confidence, false};
}

}  // namespace

ApproximateCount approximate_count(const Problem& problem, std::uint64_t seed, std::size_t bytes) {
  Relaxation relaxation(problem);
  const auto space = relaxed_until_it_fits(relaxation, bytes);
  if (!space) return hashed_count(problem, seed);
  const auto all = space->count();
  if (all == 0 || relaxation.is_exact()) return {all, all, all, 1, true};
  specs::Random random(seed);
  const auto hits_in = [&](std::uint64_t draws) {
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < draws; ++i) hits += relaxation.is_stack(space->draw(random));
    return hits;
  };
  // How many draws it takes is judged by other draws than those that count, or the interval would
  // not be one.
  const auto pilot = std::max<std::uint64_t>(hits_in(pilot_draws), 1);
  const auto draws = std::clamp(wanted_hits * pilot_draws / pilot, pilot_draws, most_draws);
  const auto result = estimate(all, hits_in(draws), draws);
  return result.low == 0 && result.high < most_to_hash ? hashed_count(problem, seed) : result;
}

}  // namespace stackx::resolver
