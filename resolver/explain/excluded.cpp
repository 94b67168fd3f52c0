#include "resolver/explain/excluded.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "resolver/explain/wording.hpp"
#include "resolver/sat/founded.hpp"

namespace stackx::resolver {
namespace {

using Kind = Clause::Kind;

class Propagation {
 public:
  explicit Propagation(const Problem& problem)
      : problem_(problem), forced_(problem.components.size()), forced_slots_(problem.slots.size()) {
    for (const auto& component : problem.components) {
      left_.emplace_back(component.versions.size()).set();
      reasons_.emplace_back(component.versions.size());
    }
  }

  std::vector<std::vector<std::string>> run() {
    for (changed_ = true; changed_;) {
      changed_ = false;
      for (const auto& clause : problem_.clauses) apply(clause);
      for (std::size_t c = 0; c < left_.size(); ++c)
        if (forced_[c] && left_[c].any()) apply_together(c);
      for (std::size_t s = 0; s < forced_slots_.size(); ++s)
        if (forced_slots_[s]) narrow_forced(s);
    }
    drop_unneeded();
    return std::move(reasons_);
  }

 private:
  void drop(std::size_t component, const VersionSet& versions, const std::string& reason) {
    const auto gone = left_[component] & versions;
    for (auto v = gone.find_first(); v != VersionSet::npos; v = gone.find_next(v))
      reasons_[component][v] = reason;
    left_[component] -= gone;
    changed_ = changed_ || gone.any();
  }

  std::string words(const CompiledClause& clause) const {
    return clause_in_tree(problem_, {&clause}, clause);
  }

  void apply(const CompiledClause& clause) {
    switch (clause.clause.kind) {
      case Kind::pin:
        drop_out_of_range(clause.needs.front(), words(clause));
        break;
      case Kind::requirement:
        drop_unmet(clause);
        break;
      case Kind::condition:
      case Kind::conflict:
        break;
      default:
        for (const auto& need : clause.needs) {
          drop_out_of_range(need, words(clause));
          force_slot(need.slot);
        }
    }
  }

  void drop_out_of_range(const Need& need, const std::string& reason) {
    const auto& holders = problem_.slots[need.slot].holders;
    for (std::size_t h = 0; h < holders.size(); ++h)
      drop(holders[h].component, holders[h].versions - need.satisfied[h], reason);
  }

  // Versions whose requirement nobody who is left meets. Who holds the name itself must meet it
  // itself.
  void drop_unmet(const CompiledClause& clause) {
    const auto& need = clause.needs.front();
    const auto& slot = problem_.slots[need.slot];
    bool met = false;
    VersionSet by_itself(clause.owners.size());
    VersionSet wrong_itself(clause.owners.size());
    for (std::size_t h = 0; h < slot.holders.size(); ++h) {
      const auto& holder = slot.holders[h];
      if (holder.component == clause.owner) {
        by_itself = need.satisfied[h];
        wrong_itself = holder.versions - need.satisfied[h];
      } else {
        met = met || need.satisfied[h].intersects(left_[holder.component]);
      }
    }
    const auto unmet = met ? clause.owners & wrong_itself : clause.owners - by_itself;
    if ((unmet & left_[clause.owner]).none()) return;
    drop(clause.owner, unmet, words(clause) + (met ? "" : why_nobody(need)));
  }

  // "; numpy 2.0 is out because ...".
  std::string why_nobody(const Need& need) const {
    const auto& slot = problem_.slots[need.slot];
    for (std::size_t h = 0; h < slot.holders.size(); ++h) {
      const auto latest = last(need.satisfied[h]);
      if (latest == VersionSet::npos) continue;
      const auto& component = problem_.components[slot.holders[h].component];
      return fmt::format(", and {} {} is out: {}", component.name, component.versions[latest],
                         reasons_[slot.holders[h].component][latest]);
    }
    return slot.holders.empty() ? fmt::format(", and nobody provides {}", slot.name)
                                : fmt::format(", and no version of {} is in range", slot.name);
  }

  static std::size_t last(const VersionSet& versions) {
    for (std::size_t v = versions.size(); v-- > 0;)
      if (versions[v]) return v;
    return VersionSet::npos;
  }

  void force_slot(std::size_t slot) {
    if (forced_slots_[slot]) return;
    forced_slots_[slot] = changed_ = true;
  }

  // A name that every stack needs: with one component left that can hold it, every stack has that.
  void narrow_forced(std::size_t index) {
    const Holder* only = nullptr;
    for (const auto& holder : problem_.slots[index].holders) {
      if (!holder.versions.intersects(left_[holder.component])) continue;
      if (only) return;
      only = &holder;
    }
    if (!only) return;
    if (!forced_[only->component]) forced_[only->component] = changed_ = true;
    drop(only->component, ~only->versions,
         fmt::format("every stack needs {}, which only {} is left to provide",
                     problem_.slots[index].name, problem_.components[only->component].name));
  }

  // What all versions left of a component that every stack holds need, every stack needs; what all
  // of them exclude, no stack holds.
  void apply_together(std::size_t component) {
    std::vector<VersionSet> needing(problem_.slots.size());
    std::vector<std::vector<VersionSet>> against(left_.size());
    for (const auto& clause : problem_.clauses) {
      if (clause.owner != component || clause.clause.kind == Kind::condition) continue;
      const bool conflict = clause.clause.kind == Kind::conflict;
      const auto& need = clause.needs.front();
      if (!conflict) join(needing[need.slot], clause.owners);
      const auto& holders = problem_.slots[need.slot].holders;
      for (std::size_t h = 0; h < holders.size(); ++h) {
        if (holders[h].component == component) continue;
        const auto bad = conflict ? need.satisfied[h] : holders[h].versions - need.satisfied[h];
        auto& of_version = against[holders[h].component];
        of_version.resize(bad.size());
        for (auto v = bad.find_first(); v != VersionSet::npos; v = bad.find_next(v)) {
          join(of_version[v], clause.owners);
          if (left_[component].is_subset_of(of_version[v]))
            drop(holders[h].component, only(v, bad.size()), why_together(clause));
        }
      }
    }
    for (std::size_t s = 0; s < needing.size(); ++s)
      if (!needing[s].empty() && left_[component].is_subset_of(needing[s])) force_slot(s);
  }

  std::string why_together(const CompiledClause& clause) const {
    if (left_[clause.owner].is_subset_of(clause.owners)) return words(clause);
    return fmt::format("{}, and what else is left of {} excludes it too", words(clause),
                       problem_.components[clause.owner].name);
  }

  static void join(VersionSet& into, const VersionSet& versions) {
    if (into.empty()) into.resize(versions.size());
    into |= versions;
  }

  static VersionSet only(std::size_t version, std::size_t size) {
    VersionSet versions(size);
    return versions.set(version);
  }

  void drop_unneeded() {
    std::vector<VersionSet> needed;
    for (const auto& left : left_) needed.emplace_back(left.size());
    for (bool news = true; news;) {
      news = false;
      for (const auto& clause : problem_.clauses) {
        const bool speaks = clause.owner == CompiledClause::nobody ||
                            clause.owners.intersects(needed[clause.owner]);
        if (!demands(clause) || !speaks) continue;
        for (const auto& need : clause.needs) {
          const auto& slot = problem_.slots[need.slot];
          for (std::size_t h = 0; h < slot.holders.size(); ++h) {
            const auto c = slot.holders[h].component;
            const auto more = (need.satisfied[h] & need.brought_of(slot, h) & left_[c]) - needed[c];
            needed[c] |= more;
            news = news || more.any();
          }
        }
      }
    }
    for (std::size_t c = 0; c < left_.size(); ++c) {
      if (!problem_.by_name.empty()) drop(c, problem_.by_name[c] - needed[c], "nothing that is left names it");
      drop(c, ~needed[c], "nothing that is left needs it");
    }
  }

  const Problem& problem_;
  std::vector<VersionSet> left_;
  std::vector<bool> forced_, forced_slots_;  // in every stack
  std::vector<std::vector<std::string>> reasons_;
  bool changed_ = true;
};

}  // namespace

std::vector<std::vector<std::string>> excluded(const Problem& problem) {
  return Propagation(problem).run();
}

}  // namespace stackx::resolver
