#include "resolver/wording.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace stackx::resolver {
namespace {

constexpr std::size_t listed_at_most = 6;

std::string listed(const ComponentVersions& component, const VersionSet& versions) {
  std::vector<std::string> texts;
  for (auto v = versions.find_first(); v != VersionSet::npos; v = versions.find_next(v))
    texts.push_back(component.versions[v]);
  if (texts.size() <= listed_at_most) return fmt::format("{}", fmt::join(texts, ", "));
  const auto first = versions.find_first();
  const bool run = (versions >> (first + texts.size())).none();
  if (run) return fmt::format("{} to {} ({} versions)", texts.front(), texts.back(), texts.size());
  const auto more = texts.size() - (listed_at_most - 1);
  texts.resize(listed_at_most - 1);
  return fmt::format("{} and {} more", fmt::join(texts, ", "), more);
}

std::string all_listed(const ComponentVersions& component) {
  return listed(component, VersionSet(component.versions.size()).set());
}

// What the roots, hardware and pins of the clash leave of a component.
VersionSet left_of(const Problem& problem, const Clash& clash, std::size_t component) {
  VersionSet left(problem.components[component].versions.size());
  left.set();
  for (const auto* clause : clash) {
    if (clause->owner != CompiledClause::nobody) continue;
    for (const auto& need : clause->needs) {
      const auto& holders = problem.slots[need.slot].holders;
      for (std::size_t h = 0; h < holders.size(); ++h)
        if (holders[h].component == component) left &= need.satisfied[h] | ~holders[h].versions;
    }
  }
  return left;
}

std::string stated(const Problem& problem, const Clash& clash, const CompiledClause& clause) {
  using Kind = Clause::Kind;
  const auto& text = clause.clause.text;
  if (clause.clause.kind == Kind::root) return "root: " + text;
  if (clause.clause.kind == Kind::hardware) return "hardware: " + text;
  if (clause.clause.kind == Kind::pin) return "pin: " + text;

  const auto& component = problem.components[clause.owner];
  VersionSet versions = clause.owners & left_of(problem, clash, clause.owner);
  if (versions.none()) versions = clause.owners;
  const bool one = versions.count() == 1;
  const bool every = clause.owners.all() && clause.owners.size() > 1 && versions == clause.owners;
  const std::string who =
      every ? "every " + component.name : component.name + " " + listed(component, versions);
  const char* verb = clause.clause.kind == Kind::conflict
                         ? (one || every ? "conflicts with" : "conflict with")
                         : (one || every ? "needs" : "need");
  return fmt::format("{} {} {}", who, verb, text);
}

bool demands(const CompiledClause& clause) {
  return clause.clause.kind != Clause::Kind::pin && clause.clause.kind != Clause::Kind::conflict;
}

}  // namespace

std::vector<std::string> clauses_in_words(const Problem& problem, const Clash& clash) {
  std::vector<std::string> result;
  for (const auto* clause : clash) result.push_back(stated(problem, clash, *clause));
  return result;
}

std::vector<std::string> notes_in_words(const Problem& problem, const Clash& clash) {
  std::vector<std::string> notes;
  const auto note = [&](std::string text) {
    if (std::ranges::find(notes, text) == notes.end()) notes.push_back(std::move(text));
  };
  std::set<std::size_t> demanded;  // components that the clash wants by name
  for (const auto* clause : clash) {
    if (!demands(*clause)) continue;
    for (const auto& need : clause->needs) {
      const auto& slot = problem.slots[need.slot];
      std::vector<std::string> names;
      for (const auto& holder : slot.holders)
        names.push_back(problem.components[holder.component].name);
      if (names.size() == 1) demanded.insert(slot.holders.front().component);
      const bool provided = names.size() > 1 || (names.size() == 1 && names.front() != slot.name);
      const bool nothing = std::ranges::all_of(need.satisfied, &VersionSet::none);
      if (names.empty())
        note(fmt::format("no catalog declares or provides {}", slot.name));
      else if (provided)
        note(fmt::format("{} is provided by {}{}", slot.name, fmt::join(names, ", "),
                         nothing ? ", but none of them is in range" : ""));
      else if (nothing)
        note(fmt::format("known versions of {}: {}", slot.name,
                         all_listed(problem.components[slot.holders.front().component])));
    }
  }
  for (const auto& slot : problem.slots) {
    std::vector<std::string> names;
    for (const auto& holder : slot.holders)
      if (demanded.contains(holder.component))
        names.push_back(problem.components[holder.component].name);
    if (names.size() > 1)
      note(fmt::format("{} provide {}, and a stack has at most one provider of it",
                       fmt::join(names, " and "), slot.name));
  }
  return notes;
}

std::string fix_in_words(const Problem& problem, const CompiledClause& clause,
                         const Chosen& stack) {
  const char* kind = clause.clause.kind == Clause::Kind::root       ? "the root requirement"
                     : clause.clause.kind == Clause::Kind::hardware ? "the hardware"
                                                                    : "the pin";
  std::string text = fmt::format("leave out or change {} {}", kind, clause.clause.text);
  for (const auto& holder : problem.slots[clause.needs.front().slot].holders)
    if (const auto version = stack[holder.component]; version >= 0)
      return fmt::format(
          "{}: there are stacks with {} {}", text, problem.components[holder.component].name,
          problem.components[holder.component].versions[static_cast<std::size_t>(version)]);
  return text;
}

std::string Unsolvable::text() const {
  std::string text =
      clash.size() == 1 ? "This cannot be met:" : "These clash, and none can be left out:";
  for (const auto& clause : clash) text += "\n  - " + clause;
  for (const auto& one : notes) text += "\n  note: " + one;
  for (const auto& fix : fixes) text += "\n  to fix: " + fix;
  if (fixes.empty())
    text += "\n  no single root, pin or hardware is to blame: leaving out one leaves other clashes";
  return text;
}

}  // namespace stackx::resolver
