#include "resolver/sat/founded.hpp"

#include <algorithm>

namespace stackx::resolver {
namespace {

bool holds(const Choice& choice, std::size_t component, const VersionSet& versions) {
  const auto version = choice[component];
  return version >= 0 && versions[static_cast<std::size_t>(version)];
}

}  // namespace

bool demands(const CompiledClause& clause) {
  return clause.clause.kind != Clause::Kind::pin && clause.clause.kind != Clause::Kind::conflict;
}

bool met(const Problem& problem, const Need& need, const Choice& choice) {
  const auto& holders = problem.slots[need.slot].holders;
  for (std::size_t h = 0; h < holders.size(); ++h)
    if (holds(choice, holders[h].component, need.satisfied[h])) return true;
  return false;
}

Foundation::Foundation(const Problem& problem)
    : problem_(problem), by_owner_(problem.components.size() + 1) {
  for (std::size_t i = 0; i < problem.clauses.size(); ++i) {
    const auto& clause = problem.clauses[i];
    if (demands(clause)) by_owner_[std::min(clause.owner, by_owner_.size() - 1)].push_back(i);
  }
}

// The components of the choice that the clause, if it is active there, leads to.
template <typename Visit>
void Foundation::each_supported(const Choice& choice, std::size_t index, Visit visit) const {
  const auto& clause = problem_.clauses[index];
  if (clause.owner != CompiledClause::nobody && !holds(choice, clause.owner, clause.owners)) return;
  for (const auto& condition : clause.if_)
    if (!met(problem_, condition, choice)) return;
  for (const auto& need : clause.needs) {
    const auto& slot = problem_.slots[need.slot];
    for (std::size_t h = 0; h < slot.holders.size(); ++h)
      if (holds(choice, slot.holders[h].component, need.brought_of(slot, h))) visit(slot.holders[h].component);
  }
}

std::vector<bool> Foundation::reached(const Choice& choice,
                                      const std::vector<bool>& enabled) const {
  std::vector<bool> reached(choice.size());
  std::vector<std::size_t> waiting{choice.size()};  // first the roots
  while (!waiting.empty()) {
    const auto owner = waiting.back();
    waiting.pop_back();
    for (const auto i : by_owner_[owner]) {
      if (!enabled.empty() && !enabled[i]) continue;
      each_supported(choice, i, [&](std::size_t component) {
        if (reached[component]) return;
        reached[component] = true;
        waiting.push_back(component);
      });
    }
  }
  return reached;
}

Choice Foundation::founded_part(Choice choice, const std::vector<bool>& enabled) const {
  for (bool changed = true; changed;) {
    changed = false;
    const auto kept = reached(choice, enabled);
    for (std::size_t c = 0; c < choice.size(); ++c)
      if (choice[c] >= 0 && !kept[c]) {
        choice[c] = -1;
        changed = true;
      }
  }
  return choice;
}

std::vector<std::size_t> Foundation::loop(const Choice& choice) const {
  const auto founded = reached(choice, {});
  const auto unfounded = [&](std::size_t c) { return choice[c] >= 0 && !founded[c]; };
  std::vector<std::vector<std::size_t>> supporters(choice.size());
  for (std::size_t c = 0; c < choice.size(); ++c)
    if (unfounded(c))
      for (const auto i : by_owner_[c])
        each_supported(choice, i, [&](std::size_t other) { supporters[other].push_back(c); });

  // All that stands behind a component supports itself; the smallest such set is a loop.
  std::vector<std::size_t> smallest;
  for (std::size_t c = 0; c < choice.size(); ++c) {
    if (!unfounded(c)) continue;
    std::vector<std::size_t> behind{c};
    for (std::size_t next = 0; next < behind.size(); ++next)
      for (const auto supporter : supporters[behind[next]])
        if (std::ranges::find(behind, supporter) == behind.end()) behind.push_back(supporter);
    if (smallest.empty() || behind.size() < smallest.size()) smallest = std::move(behind);
  }
  return smallest;
}

}  // namespace stackx::resolver
