#include "resolver/sat/encoding.hpp"

#include <algorithm>

namespace stackx::resolver {

Encoding::Encoding(const Problem& problem, Clauses clauses)
    : problem_(problem), foundation_(problem), never_(sat_.variable()) {
  sat_.add({-never_});
  for (std::size_t c = 0; c < problem.components.size(); ++c) add_order(c);
  for (const auto& slot : problem.slots) add_slot(slot);
  for (const auto& clause : problem.clauses) {
    Literals unless;
    if (clauses == Clauses::selectable) {
      selectors_.push_back(sat_.variable());
      unless.push_back(-selectors_.back());
    }
    add_clause(clause, std::move(unless));
  }
  if (!problem.by_name.empty()) require_founded();
}

void Encoding::add_order(std::size_t component) {
  auto& until = until_.emplace_back();
  for (std::size_t v = 0; v < problem_.components[component].versions.size(); ++v) {
    until.push_back(sat_.variable());
    if (v > 0) sat_.add({-until[v - 1], until[v]});
  }
}

Literal Encoding::present(std::size_t component) {
  return until_[component].empty() ? never_ : until_[component].back();
}

Literal Encoding::run(std::size_t component, std::size_t first, std::size_t last) {
  const auto& until = until_[component];
  if (first == 0) return until[last];
  const auto [at, is_new] = runs_.try_emplace({component, {first, last}});
  if (is_new) {
    const auto run = at->second = sat_.variable();
    sat_.add({-run, until[last]});
    sat_.add({-run, -until[first - 1]});
    sat_.add({run, -until[last], until[first - 1]});
  }
  return at->second;
}

Literal Encoding::among(std::size_t component, const VersionSet& versions) {
  Literals runs;
  for (auto first = versions.find_first(); first != VersionSet::npos;) {
    auto end = first + 1;
    while (end < versions.size() && versions[end]) ++end;
    runs.push_back(run(component, first, end - 1));
    first = end < versions.size() ? versions.find_next(end) : VersionSet::npos;
  }
  return any(std::move(runs));
}

Literal Encoding::any(Literals literals) {
  std::erase(literals, never_);
  if (literals.empty()) return never_;
  if (literals.size() == 1) return literals.front();
  const auto [at, is_new] = any_.try_emplace(literals);
  if (is_new) {
    at->second = sat_.variable();
    for (const auto literal : literals) sat_.add({-literal, at->second});
    literals.push_back(-at->second);
    sat_.add(literals);
  }
  return at->second;
}

// Implies all of them; nothing needs the other direction.
Literal Encoding::all(Literals literals) {
  if (literals.size() == 1) return literals.front();
  const auto [at, is_new] = all_.try_emplace(literals);
  if (is_new) {
    at->second = sat_.variable();
    for (const auto literal : literals) sat_.add({-at->second, literal});
  }
  return at->second;
}

Literal Encoding::met(const Need& need) {
  const auto& holders = problem_.slots[need.slot].holders;
  Literals literals;
  for (std::size_t h = 0; h < holders.size(); ++h)
    literals.push_back(among(holders[h].component, need.satisfied[h]));
  return any(std::move(literals));
}

void Encoding::add_slot(const Slot& slot) {
  Literals held;
  for (const auto& holder : slot.holders) held.push_back(among(holder.component, holder.versions));
  for (std::size_t h = 0; h < held.size(); ++h)
    for (std::size_t other = 0; other < h; ++other) sat_.add({-held[h], -held[other]});
}

void Encoding::add_clause(const CompiledClause& clause, Literals unless) {
  const auto kind = clause.clause.kind;
  if (clause.owner != CompiledClause::nobody) unless.push_back(-among(clause.owner, clause.owners));
  for (const auto& condition : clause.if_) unless.push_back(-met(condition));
  for (const auto& need : clause.needs) {
    const auto& holders = problem_.slots[need.slot].holders;
    Literals result = unless;
    if (demands(clause)) {
      result.push_back(met(need));
      sat_.add(result);
      continue;
    }
    for (std::size_t h = 0; h < holders.size(); ++h) {
      if (holders[h].component == clause.owner) continue;
      const auto& in_range = need.satisfied[h];
      result.push_back(-among(holders[h].component, kind == Clause::Kind::conflict
                                                        ? in_range
                                                        : holders[h].versions - in_range));
      sat_.add(result);
      result.pop_back();
    }
  }
}

// Where the clause is active, it supports what holds the names that it needs.
void Encoding::add_supports_of(std::size_t index, const std::vector<std::size_t>& components,
                               Literals& supports) {
  const auto& clause = problem_.clauses[index];
  if (!demands(clause) || std::ranges::find(components, clause.owner) != components.end()) return;
  for (const auto& need : clause.needs) {
    const auto& slot = problem_.slots[need.slot];
    for (std::size_t h = 0; h < slot.holders.size(); ++h) {
      const auto component = slot.holders[h].component;
      if (std::ranges::find(components, component) == components.end()) continue;
      Literals because{among(component, need.brought_of(slot, h))};
      if (clause.owner != CompiledClause::nobody)
        because.push_back(among(clause.owner, clause.owners));
      for (const auto& condition : clause.if_) because.push_back(met(condition));
      supports.push_back(all(std::move(because)));
    }
  }
}

// If any of the components is there, something else supports one of them.
void Encoding::add_support(const std::vector<std::size_t>& components) {
  Literals supports;
  for (std::size_t i = 0; i < problem_.clauses.size(); ++i)
    add_supports_of(i, components, supports);
  for (const auto c : components) {
    supports.push_back(-present(c));
    sat_.add(supports);
    supports.pop_back();
  }
}

void Encoding::require_founded() {
  if (founded_) return;
  founded_ = true;
  for (std::size_t c = 0; c < problem_.components.size(); ++c) add_support({c});
}

std::optional<Choice> Encoding::find(const Literals& assumptions) {
  while (sat_.solve(assumptions)) {
    Choice choice;
    for (const auto& until : until_) {
      const auto first =
          std::ranges::find_if(until, [&](Literal literal) { return sat_.value(literal); });
      choice.push_back(first == until.end() ? -1
                                            : static_cast<std::int32_t>(first - until.begin()));
    }
    if (!founded_) return choice;
    const auto loop = foundation_.loop(choice);
    if (loop.empty()) return choice;
    add_support(loop);
  }
  return {};
}

void Encoding::forbid(const Choice& choice, Literals unless) {
  for (std::size_t c = 0; c < choice.size(); ++c)
    unless.push_back(choice[c] < 0 ? present(c) : -is(c, static_cast<std::size_t>(choice[c])));
  sat_.add(unless);
}

}  // namespace stackx::resolver
