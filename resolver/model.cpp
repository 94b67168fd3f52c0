#include "resolver/model.hpp"

#include <algorithm>
#include <boost/dynamic_bitset.hpp>
#include <iterator>
#include <limits>
#include <map>
#include <set>

#include "resolver/order.hpp"

namespace stackx::resolver {
namespace {

using Narrowed = std::map<std::size_t, VersionSet>;  // component -> versions left

class Layout {
 public:
  Layout(const Problem& problem, const Selection& selection)
      : problem_(problem), selection_(selection) {}

  Model run() {
    prepare();
    for (std::size_t i = 0; i < problem_.clauses.size(); ++i)
      if (selection_.clauses.empty() || selection_.clauses[i]) add(problem_.clauses[i]);
    at_most_one_holder();
    restrict_to_stratum();
    mirror();
    order_slots();
    write();
    return std::move(model_);
  }

 private:
  void prepare() {
    start_.reserve(problem_.components.size());
    for (const auto& component : problem_.components) {
      const auto count = component.versions.size();
      start_.emplace_back(count).set();
      narrowed_.emplace_back(count);
      model_.components.emplace_back().versions.resize(count);
    }
  }

  // What is left of each holder where the need holds: whoever holds the slot is in range; if there
  // is only one who can, it must. (A holder that does not hold the slot in this version is no
  // matter.)
  std::vector<std::pair<std::size_t, VersionSet>> left_by(const Need& need) const {
    const auto& holders = problem_.slots[need.slot].holders;
    std::vector<std::pair<std::size_t, VersionSet>> result;
    for (std::size_t h = 0; h < holders.size(); ++h)
      result.emplace_back(holders[h].component, holders.size() == 1
                                                    ? need.satisfied[h]
                                                    : need.satisfied[h] | ~holders[h].versions);
    return result;
  }

  void add(const CompiledClause& clause) {
    using Kind = Clause::Kind;
    switch (clause.clause.kind) {
      case Kind::hardware:
      case Kind::root:
        for (const auto& need : clause.needs) {
          for (const auto& [component, left] : left_by(need)) start_[component] &= left;
          roots_.insert(need.slot);
        }
        break;
      case Kind::pin:
        pin(clause.needs.front());
        break;
      case Kind::requirement:
        each_owner(clause, [&](std::size_t v) { require(clause, clause.needs.front(), v); });
        break;
      case Kind::conflict:
        each_owner(clause, [&](std::size_t v) { conflict(clause, clause.needs.front(), v); });
        break;
      case Kind::condition:
        add_condition(clause);
        break;
    }
  }

  template <typename Do>
  static void each_owner(const CompiledClause& clause, Do action) {
    for (auto v = clause.owners.find_first(); v != VersionSet::npos; v = clause.owners.find_next(v))
      action(v);
  }

  void pin(const Need& need) {
    const auto& holders = problem_.slots[need.slot].holders;
    for (std::size_t h = 0; h < holders.size(); ++h)
      start_[holders[h].component] &= need.satisfied[h] | ~holders[h].versions;
  }

  void narrow(std::size_t component, std::size_t version, std::size_t other,
              const VersionSet& left) {
    if (other == component) {  // about itself: allowed or not
      if (!left[version]) start_[component].reset(version);
      return;
    }
    if (left.all()) return;
    const auto [at, is_new] = narrowed_[component][version].try_emplace(other, left);
    if (!is_new) at->second &= left;
  }

  void require(const CompiledClause& clause, const Need& need, std::size_t version) {
    for (const auto& [other, left] : left_by(need)) narrow(clause.owner, version, other, left);
    model_.components[clause.owner].versions[version].demands.push_back(
        static_cast<std::uint32_t>(need.slot));
  }

  void conflict(const CompiledClause& clause, const Need& need, std::size_t version) {
    const auto& holders = problem_.slots[need.slot].holders;
    for (std::size_t h = 0; h < holders.size(); ++h)
      if (holders[h].component != clause.owner)
        narrow(clause.owner, version, holders[h].component, ~need.satisfied[h]);
  }

  void add_condition(const CompiledClause& clause) {
    const auto id = static_cast<std::uint32_t>(model_.conditions.size());
    auto& condition = model_.conditions.emplace_back();
    for (const auto& need : clause.if_) {
      auto& literal = condition.if_.emplace_back();
      literal.slot = static_cast<std::uint32_t>(need.slot);
      for (const auto& satisfied : need.satisfied) literal.sets.push_back(write_set(satisfied));
    }
    for (const auto& need : clause.needs) {
      condition.demands.push_back(static_cast<std::uint32_t>(need.slot));
      for (const auto& [other, left] : left_by(need))
        if (!left.all())
          condition.effects.push_back({static_cast<std::uint32_t>(other), write_set(left)});
    }
    each_owner(clause, [&](std::size_t v) {
      model_.components[clause.owner].versions[v].conditions.push_back(id);
    });
  }

  void at_most_one_holder() {
    for (const auto& slot : problem_.slots)
      for (const auto& one : slot.holders)
        for (const auto& other : slot.holders) {
          if (one.component == other.component) continue;
          const VersionSet left = ~other.versions;
          for (auto v = one.versions.find_first(); v != VersionSet::npos;
               v = one.versions.find_next(v))
            narrow(one.component, v, other.component, left);
        }
  }

  void restrict_to_stratum() {
    if (!selection_.stratum) return;
    for (const auto& holder : problem_.slots[selection_.stratum->slot].holders)
      if (holder.component != selection_.stratum->holder)
        start_[holder.component] &= ~holder.versions;
  }

  // What a version rules out of another component rules it out there.
  void mirror() {
    const auto one_way = narrowed_;
    for (std::size_t c = 0; c < one_way.size(); ++c)
      for (std::size_t v = 0; v < one_way[c].size(); ++v)
        for (const auto& [other, left] : one_way[c][v])
          for (std::size_t w = 0; w < left.size(); ++w) {
            if (left[w]) continue;
            auto& back = narrowed_[other][w];
            auto at = back.find(c);
            if (at == back.end())
              at = back.emplace(c, VersionSet(problem_.components[c].versions.size()).set()).first;
            at->second.reset(v);
          }
  }

  void order_slots() {
    Neighbours neighbours(problem_.components.size());
    const auto touch = [&](std::size_t a, std::size_t b) {
      if (a == b) return;
      neighbours[a].insert(b);
      neighbours[b].insert(a);
    };
    for (std::size_t c = 0; c < narrowed_.size(); ++c)
      for (const auto& version : narrowed_[c])
        for (const auto& [other, left] : version) touch(c, other);
    for (std::size_t c = 0; c < narrowed_.size(); ++c)
      for (const auto& version : model_.components[c].versions) {
        const auto touch_slot = [&](std::uint32_t slot) {
          for (const auto& holder : problem_.slots[slot].holders) touch(c, holder.component);
        };
        for (const auto slot : version.demands) touch_slot(slot);
        for (const auto id : version.conditions) {
          for (const auto slot : model_.conditions[id].demands) touch_slot(slot);
          for (const auto& literal : model_.conditions[id].if_) touch_slot(literal.slot);
        }
      }
    std::vector<std::size_t> first;
    for (const auto slot : roots_)
      for (const auto& holder : problem_.slots[slot].holders) first.push_back(holder.component);
    const auto position = decision_order(neighbours, first);

    std::vector<std::pair<std::size_t, std::size_t>> by_position;
    for (std::size_t s = 0; s < problem_.slots.size(); ++s) {
      std::size_t earliest = std::numeric_limits<std::size_t>::max();
      for (const auto& holder : problem_.slots[s].holders)
        earliest = std::min(earliest, position[holder.component]);
      by_position.emplace_back(earliest, s);
    }
    std::ranges::sort(by_position);
    new_slot_.resize(by_position.size());
    for (std::size_t i = 0; i < by_position.size(); ++i)
      new_slot_[by_position[i].second] = static_cast<std::uint32_t>(i);
  }

  std::uint32_t write_set(const VersionSet& versions) {
    const auto at = static_cast<std::uint32_t>(model_.sets.size());
    boost::to_block_range(versions, std::back_inserter(model_.sets));
    return at;
  }

  void renumber(std::vector<std::uint32_t>& slots) const {
    for (auto& slot : slots) slot = new_slot_[slot];
    std::ranges::sort(slots);
    const auto rest = std::ranges::unique(slots);
    slots.erase(rest.begin(), rest.end());
  }

  void write() {
    model_.slots.resize(problem_.slots.size());
    for (std::size_t s = 0; s < problem_.slots.size(); ++s)
      for (const auto& holder : problem_.slots[s].holders) {
        model_.slots[new_slot_[s]].holders.push_back(
            {static_cast<std::uint32_t>(holder.component), write_set(holder.versions)});
        for (auto v = holder.versions.find_first(); v != VersionSet::npos;
             v = holder.versions.find_next(v))
          model_.components[holder.component].versions[v].holds.push_back(new_slot_[s]);
      }
    if (selection_.stratum && selection_.stratum->holder)
      model_.slots[new_slot_[selection_.stratum->slot]].must_be_held = true;
    for (const auto slot : roots_) model_.roots.push_back(static_cast<std::uint32_t>(slot));
    renumber(model_.roots);
    for (auto& condition : model_.conditions) {
      renumber(condition.demands);
      for (auto& literal : condition.if_) literal.slot = new_slot_[literal.slot];
    }
    for (std::size_t c = 0; c < model_.components.size(); ++c) write_component(c);
  }

  void write_component(std::size_t c) {
    auto& component = model_.components[c];
    component.first_word = static_cast<std::uint32_t>(model_.start.size());
    boost::to_block_range(start_[c], std::back_inserter(model_.start));
    component.words = static_cast<std::uint32_t>(model_.start.size()) - component.first_word;
    std::set<std::uint32_t> demands, conditions;
    for (std::size_t v = 0; v < component.versions.size(); ++v) {
      auto& version = component.versions[v];
      renumber(version.demands);
      for (const auto& [other, left] : narrowed_[c][v])
        version.effects.push_back({static_cast<std::uint32_t>(other), write_set(left)});
      demands.insert(version.demands.begin(), version.demands.end());
      conditions.insert(version.conditions.begin(), version.conditions.end());
    }
    for (const auto id : conditions)
      demands.insert(model_.conditions[id].demands.begin(), model_.conditions[id].demands.end());
    component.demands.assign(demands.begin(), demands.end());
    component.conditions.assign(conditions.begin(), conditions.end());
  }

  const Problem& problem_;
  const Selection& selection_;
  Model model_;
  std::vector<VersionSet> start_;
  std::vector<std::vector<Narrowed>> narrowed_;  // by component and version
  std::set<std::size_t> roots_;
  std::vector<std::uint32_t> new_slot_;
};

}  // namespace

Model lay_out(const Problem& problem, const Selection& selection) {
  return Layout(problem, selection).run();
}

}  // namespace stackx::resolver
