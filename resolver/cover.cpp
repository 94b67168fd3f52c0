#include "resolver/cover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "specs/error.hpp"

namespace stackx::resolver {
namespace {

using Id = std::uint32_t;  // of a version of a component
constexpr std::size_t most_combinations = 50'000'000;

// Combinations of versions, by ascending id; each is in the set or not.
class Combinations {
 public:
  Combinations(unsigned strength, std::size_t ids) : strength_(strength), ids_(ids) {}

  void insert(const Id* combination) {
    auto& row = rows_[key(combination)];
    if (row.empty()) row.resize(ids_);
    if (!row.test_set(combination[strength_ - 1])) ++count_;
  }
  bool erase(const Id* combination) {
    const auto row = rows_.find(key(combination));
    if (row == rows_.end() || !row->second[combination[strength_ - 1]]) return false;
    row->second.reset(combination[strength_ - 1]);
    --count_;
    return true;
  }
  bool contains(const Id* combination) const {
    const auto row = rows_.find(key(combination));
    return row != rows_.end() && row->second[combination[strength_ - 1]];
  }
  std::size_t count() const { return count_; }
  unsigned strength() const { return strength_; }

 private:
  std::uint64_t key(const Id* combination) const {
    std::uint64_t key = 0;
    for (unsigned i = 0; i + 1 < strength_; ++i) key = key * ids_ + combination[i];
    return key;
  }

  unsigned strength_;
  std::size_t ids_, count_ = 0;
  std::unordered_map<std::uint64_t, Bits> rows_;
};

using Combination = std::array<Id, 3>;

// Calls `visit(combination)` for each way to add strength - 1 of `others` to `id`.
template <typename Visit>
void each_with(unsigned strength, Id id, const std::vector<Id>& others, Visit visit) {
  if (strength == 1) {
    const Id one = id;
    visit(&one);
    return;
  }
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (strength == 2) {
      const Id pair[] = {std::min(id, others[i]), std::max(id, others[i])};
      visit(pair);
      continue;
    }
    for (std::size_t j = 0; j < i; ++j) {
      Id triple[] = {id, others[i], others[j]};
      std::ranges::sort(triple);
      visit(triple);
    }
  }
}

class Coverer {
 public:
  Coverer(Space& space, const Problem& problem, unsigned strength, std::uint64_t seed)
      : space_(space), random_(seed), uncovered_(strength, number(problem)) {
    find_combinations();
    random_.shuffle(combinations_);
  }

  CoverRows run() {
    CoverRows result;
    result.combinations = combinations_.size();
    result.at_least = lower_bound();
    while (uncovered_.count() > 0) {
      result.rows.push_back(best_row());
      take(result.rows.back());
    }
    Compaction(*this, result.rows).run();
    return result;
  }

 private:
  // Versions of all components in one row of numbers.
  std::size_t number(const Problem& problem) {
    for (std::size_t c = 0; c < problem.components.size(); ++c) {
      first_.push_back(static_cast<Id>(component_of_.size()));
      component_of_.resize(component_of_.size() + problem.components[c].versions.size(), c);
    }
    return component_of_.size();
  }
  Id id(std::size_t component, std::int32_t version) const {
    return first_[component] + static_cast<Id>(version);
  }
  Held held(Id id) const {
    const auto component = component_of_[id];
    return {component, static_cast<std::int32_t>(id - first_[component])};
  }

  void find_combinations() {
    potential_.assign(component_of_.size(), 0);
    std::vector<Held> chosen;
    std::vector<Id> ids;
    extend(chosen, ids);
  }

  // All combinations that begin with those chosen: a version of a later component each.
  void extend(std::vector<Held>& chosen, std::vector<Id>& ids) {
    const auto possible = space_.beside(chosen);
    const std::size_t from = chosen.empty() ? 0 : chosen.back().component + 1;
    for (std::size_t c = from; c < possible.size(); ++c)
      for (auto v = possible[c].find_first(); v != Bits::npos; v = possible[c].find_next(v)) {
        ids.push_back(id(c, static_cast<std::int32_t>(v)));
        if (ids.size() == uncovered_.strength()) {
          add(ids);
        } else {
          chosen.push_back({c, static_cast<std::int32_t>(v)});
          extend(chosen, ids);
          chosen.pop_back();
        }
        ids.pop_back();
      }
  }

  void add(const std::vector<Id>& ids) {
    if (combinations_.size() == most_combinations)
      throw bad_input(
          fmt::format("--cover {}: there are more than {} combinations to cover; take a smaller "
                      "strength, or pin some components",
                      uncovered_.strength(), most_combinations));
    Combination combination{};
    std::ranges::copy(ids, combination.begin());
    combinations_.push_back(combination);
    uncovered_.insert(ids.data());
    for (const auto id : ids) ++potential_[id];
  }

  // No two combinations of the same components go into one row.
  std::size_t lower_bound() const {
    std::map<std::array<std::size_t, 3>, std::size_t> counts;
    std::size_t most = 0;
    for (const auto& combination : combinations_) {
      std::array<std::size_t, 3> components{};
      for (unsigned i = 0; i < uncovered_.strength(); ++i)
        components[i] = component_of_[combination[i]];
      most = std::max(most, ++counts[components]);
    }
    return most;
  }

  // The best of some rows, each grown from another combination.
  Chosen best_row() {
    const std::size_t candidates = combinations_.size() < 20'000 ? 40 : 12;
    Chosen best;
    std::size_t most = 0;
    std::size_t tried = 0;
    while (next_ < combinations_.size() && !uncovered_.contains(combinations_[next_].data()))
      ++next_;
    for (std::size_t i = next_; i < combinations_.size() && tried < candidates; ++i) {
      if (!uncovered_.contains(combinations_[i].data())) continue;
      ++tried;
      auto row = grown(combinations_[i]);
      improve(row, combinations_[i]);
      const auto gain = gain_of(row);
      if (gain <= most) continue;
      most = gain;
      best = std::move(row);
    }
    return best;
  }

  Chosen grown(const Combination& seed) {
    std::vector<Held> start;
    std::vector<Id> decided;
    for (unsigned i = 0; i < uncovered_.strength(); ++i) {
      start.push_back(held(seed[i]));
      decided.push_back(seed[i]);
    }
    return space_.guided(
        start, [&](std::size_t component, const std::vector<std::int32_t>& versions) {
          std::size_t best = 0;
          std::uint64_t most = 0;
          for (std::size_t i = 0; i < versions.size(); ++i) {
            if (versions[i] < 0) continue;
            const Id one = id(component, versions[i]);
            std::uint64_t gain = 0;
            each_with(uncovered_.strength(), one, decided,
                      [&](const Id* combination) { gain += uncovered_.contains(combination); });
            // Then what may still be gained with it, then chance.
            const std::uint64_t value =
                (gain << 40) + (std::uint64_t{potential_[one]} << 8) + random_.below(256) + 1;
            if (value > most) most = value, best = i;
          }
          if (versions[best] >= 0) decided.push_back(id(component, versions[best]));
          return best;
        });
  }

  std::vector<Id> ids_of(const Chosen& row) const {
    std::vector<Id> ids;
    for (std::size_t c = 0; c < row.size(); ++c)
      if (row[c] >= 0) ids.push_back(id(c, row[c]));
    return ids;
  }

  template <typename Visit>
  void each_combination(const Chosen& row, Visit visit) const {
    std::vector<Id> before;
    for (const auto id : ids_of(row)) {
      each_with(uncovered_.strength(), id, before, visit);
      before.push_back(id);
    }
  }

  std::size_t gain_of(const Chosen& row) const {
    std::size_t gain = 0;
    each_combination(row, [&](const Id* one) { gain += uncovered_.contains(one); });
    return gain;
  }

  void take(const Chosen& row) {
    each_combination(row, [&](const Id* one) {
      if (!uncovered_.erase(one)) return;
      for (unsigned i = 0; i < uncovered_.strength(); ++i) --potential_[one[i]];
    });
  }

  // Other versions, one component after the other, while that gains combinations.
  void improve(Chosen& row, const Combination& seed) {
    std::vector<std::size_t> order;
    for (std::size_t c = 0; c < row.size(); ++c) {
      bool fixed = row[c] < 0;
      for (unsigned i = 0; i < uncovered_.strength(); ++i)
        fixed = fixed || component_of_[seed[i]] == c;
      if (!fixed) order.push_back(c);
    }
    for (bool improved = true; improved;) {
      improved = false;
      random_.shuffle(order);
      for (const auto c : order) improved = improve(row, c) || improved;
    }
  }

  bool improve(Chosen& row, std::size_t c) {
    std::vector<Id> others;
    for (std::size_t d = 0; d < row.size(); ++d)
      if (d != c && row[d] >= 0) others.push_back(id(d, row[d]));
    const auto gain = [&](std::int32_t version) {
      std::size_t gain = 0;
      each_with(uncovered_.strength(), id(c, version), others,
                [&](const Id* one) { gain += uncovered_.contains(one); });
      return gain;
    };
    const std::int32_t before = row[c];
    std::int32_t best = before;
    std::size_t most = gain(before);
    const Id end = c + 1 < first_.size() ? first_[c + 1] : static_cast<Id>(component_of_.size());
    for (std::int32_t version = 0; first_[c] + static_cast<Id>(version) < end; ++version) {
      if (version == before || gain(version) <= most) continue;
      row[c] = version;
      if (!space_.holds(row).value_or(false)) continue;
      best = version;
      most = gain(version);
    }
    row[c] = best;
    return best != before;
  }

  // Fewer rows that hold the same.
  class Compaction {
   public:
    Compaction(Coverer& coverer, std::vector<Chosen>& rows) : coverer_(coverer), rows_(rows) {
      for (const auto& row : rows) count(row, 1);
    }

    void run() {
      for (bool fewer = true; fewer;) {
        fewer = false;
        for (std::size_t r = rows_.size(); r-- > 0;) fewer = drop(r) || fewer;
      }
    }

   private:
    std::uint64_t key(const Id* one) const {
      std::uint64_t key = 0;
      for (unsigned i = 0; i < coverer_.uncovered_.strength(); ++i)
        key = key * coverer_.component_of_.size() + one[i];
      return key;
    }

    void count(const Chosen& row, int change) {
      coverer_.each_combination(row, [&](const Id* one) { times_[key(one)] += change; });
    }

    // Only this row holds these.
    std::vector<Combination> own(const Chosen& row) const {
      std::vector<Combination> own;
      coverer_.each_combination(row, [&](const Id* one) {
        if (times_.at(key(one)) != 1) return;
        Combination combination{};
        std::copy_n(one, coverer_.uncovered_.strength(), combination.begin());
        own.push_back(combination);
      });
      return own;
    }

    bool drop(std::size_t r) {
      const auto rows_before = rows_;
      const auto times_before = times_;
      const Chosen row = rows_[r];
      const auto orphans = own(row);
      if (orphans.size() > 2 * row.size()) return false;
      rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(r));
      count(row, -1);
      const bool housed = std::ranges::all_of(orphans, [&](const Combination& one) {
        return times_[key(one.data())] > 0 ||
               std::ranges::any_of(rows_, [&](Chosen& other) { return house(one, other); });
      });
      if (housed) return true;
      rows_ = rows_before;
      times_ = times_before;
      return false;
    }

    // Changes the row so that it holds the combination too, if it loses nothing that only it holds.
    bool house(const Combination& one, Chosen& row) {
      Chosen changed = row;
      std::size_t changes = 0;
      for (unsigned i = 0; i < coverer_.uncovered_.strength(); ++i) {
        const auto held = coverer_.held(one[i]);
        changes += changed[held.component] != held.version;
        changed[held.component] = held.version;
      }
      if (changes > 2) return false;
      bool loses = false;
      coverer_.each_combination(row, [&](const Id* held) {
        if (loses || times_.at(key(held)) != 1) return;
        for (unsigned i = 0; i < coverer_.uncovered_.strength(); ++i) {
          const auto version = coverer_.held(held[i]);
          loses = loses || changed[version.component] != version.version;
        }
      });
      if (loses || !coverer_.space_.holds(changed).value_or(false)) return false;
      count(row, -1);
      count(changed, 1);
      row = changed;
      return true;
    }

    Coverer& coverer_;
    std::vector<Chosen>& rows_;
    std::unordered_map<std::uint64_t, int> times_;
  };

  Space& space_;
  specs::Random random_;
  std::vector<std::size_t> component_of_;  // by id
  std::vector<Id> first_;                  // by component
  Combinations uncovered_;
  std::vector<Combination> combinations_;  // all valid ones, shuffled
  std::vector<std::uint32_t> potential_;   // by id: uncovered combinations with it
  std::size_t next_ = 0;                   // all combinations before are covered
};

}  // namespace

CoverRows cover(Space& space, const Problem& problem, unsigned strength, std::uint64_t seed) {
  // Chance plays a part: the smallest of some attempts, more of them where they cost little.
  constexpr std::size_t most_attempts = 8, worth = 8'000;
  auto best = Coverer(space, problem, strength, seed).run();
  const std::size_t attempts = std::clamp<std::size_t>(
      worth / std::max<std::size_t>(1, best.combinations), 1, most_attempts);
  for (std::size_t i = 1; i < attempts && best.rows.size() > best.at_least; ++i) {
    auto other = Coverer(space, problem, strength, specs::derive_seed(seed, "cover", i)).run();
    if (other.rows.size() < best.rows.size()) best = std::move(other);
  }
  return best;
}

}  // namespace stackx::resolver
