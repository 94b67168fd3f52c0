#include "resolver/explain/wording.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "resolver/explain/tree.hpp"
#include "resolver/sat/founded.hpp"

namespace stackx::resolver {
namespace {

using Kind = Clause::Kind;

constexpr std::size_t versions_listed_at_most = 6;
constexpr std::size_t exclusions_listed_at_most = 4;

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

struct Speaker {
  std::string text;  // "mkl 2024.2.2, 2025.3.1", "every tensorflow"
  bool plural = false;
};

Speaker speaker(const Problem& problem, const Clash& clash, const CompiledClause& clause) {
  const auto& component = problem.components[clause.owner];
  VersionSet versions = clause.owners & left_of(problem, clash, clause.owner);
  if (versions.none()) versions = clause.owners;
  if (clause.owners.all() && clause.owners.size() > 1 && versions == clause.owners)
    return {"every " + component.name, false};
  return {component.name + " " + versions_in_words(component, versions), versions.count() > 1};
}

std::string said(const Problem& problem, const Clash& clash, const CompiledClause& clause,
                 const std::string& what) {
  const auto who = speaker(problem, clash, clause);
  const char* verb = clause.clause.kind == Kind::conflict
                         ? (who.plural ? "conflict with" : "conflicts with")
                         : (who.plural ? "need" : "needs");
  return fmt::format("{} {} {}", who.text, verb, what);
}

// "python" and "==3.8".
std::pair<std::string, std::string> name_and_range(const std::string& requirement) {
  const auto space = requirement.find(' ');
  if (space == std::string::npos) return {requirement, ""};
  return {requirement.substr(0, space), requirement.substr(space + 1)};
}

// "numpy 1.26.0 to 2.1.0 (12 versions) were left out of the catalog: needs another Python".
std::string left_out_in_words(const Problem& problem, const CompiledClause& clause) {
  return fmt::format("{} {} {} left out of the catalog: {}", problem.components[clause.owner].name,
                     versions_in_words(problem.components[clause.owner], clause.owners),
                     clause.owners.count() == 1 ? "was" : "were", clause.clause.text);
}

std::string without_star(const std::string& requirement) {
  return requirement.ends_with(" *") ? requirement.substr(0, requirement.size() - 2) : requirement;
}

// What a clause of the clash leaves of a component, and how it says so.
struct Demand {
  const CompiledClause* clause;
  VersionSet left;
  std::string text;  // ">=3.9 (every tensorflow)"
};

std::string range_and_speaker(const Problem& problem, const Clash& clash,
                              const CompiledClause& clause, const std::string& component) {
  const auto [name, range] = name_and_range(clause.clause.text);
  const auto who = clause.clause.kind == Kind::root       ? "root"
                   : clause.clause.kind == Kind::hardware ? "hardware"
                   : clause.clause.kind == Kind::pin      ? "pin"
                   : clause.clause.kind == Kind::asked    ? "asked for"
                                                          : speaker(problem, clash, clause).text;
  return fmt::format("{}{} ({})", clause.clause.kind == Kind::conflict ? "not " : "",
                     name == component ? range : clause.clause.text, who);
}

// Of names that only this component can hold; and of names that it must not hold out of range.
std::vector<Demand> demands_on(const Problem& problem, const Clash& clash, std::size_t component) {
  std::vector<Demand> found;
  for (const auto* clause : clash) {
    const auto kind = clause->clause.kind;
    if (kind == Kind::condition || clause->owner == component) continue;
    const auto& need = clause->needs.front();
    const auto& holders = problem.slots[need.slot].holders;
    if (demands(*clause) && holders.size() > 1) continue;
    for (std::size_t h = 0; h < holders.size(); ++h) {
      if (holders[h].component != component) continue;
      const auto& in_range = need.satisfied[h];
      found.push_back(
          {clause,
           kind == Kind::pin        ? in_range | ~holders[h].versions
           : kind == Kind::conflict ? ~in_range
                                    : in_range,
           range_and_speaker(problem, clash, *clause, problem.components[component].name)});
    }
  }
  return found;
}

// Versions in the need's range that it does not bring, because it does not name them, and no clause of the clash does.
std::vector<std::string> unnamed_in_words(const Problem& problem, const Clash& clash, const Need& need) {
  std::vector<std::string> notes;
  if (need.brought.empty()) return notes;
  const auto& holders = problem.slots[need.slot].holders;
  for (std::size_t h = 0; h < holders.size(); ++h) {
    auto unnamed = need.satisfied[h] - need.brought[h];
    for (const auto* other : clash)
      for (const auto& named : other->needs)
        if (named.slot == need.slot && demands(*other) && !named.brought.empty()) unnamed -= named.brought[h];
    if (unnamed.any())
      notes.push_back(fmt::format("{} {} must be named by who requires {} (a pre-release or yanked)",
                                  problem.components[holders[h].component].name,
                                  versions_in_words(problem.components[holders[h].component], unnamed),
                                  unnamed.count() == 1 ? "it" : "them"));
  }
  return notes;
}

// Where the stack has a version that was left out: what would have it in the catalog, and what comes of that.
std::pair<std::string, std::string> missing_in_words(const Problem& problem, std::size_t component, const Choice& stack) {
  const auto version = stack[component];
  for (const auto& clause : problem.clauses)
    if (clause.clause.kind == Kind::left_out && clause.owner == component && version >= 0 &&
        clause.owners[static_cast<std::size_t>(version)])
      return {clause.to_have, fmt::format(": then {} {} is there; what it requires is not known yet",
                                          problem.components[component].name,
                                          problem.components[component].versions[static_cast<std::size_t>(version)])};
  return {};
}

// Both are possible, but not at once; and both can speak at once.
bool exclude_each_other(const Demand& a, const Demand& b) {
  const bool one_stack = a.clause->owner == CompiledClause::nobody ||
                         a.clause->owner != b.clause->owner ||
                         a.clause->owners.intersects(b.clause->owners);
  return one_stack && a.left.any() && b.left.any() && !a.left.intersects(b.left);
}

}  // namespace

std::string known_versions(const Problem& problem, std::size_t component) {
  VersionSet there(problem.components[component].versions.size());
  there.set();
  std::string left_out, why_none;
  for (const auto& clause : problem.clauses) {
    if (clause.clause.kind != Kind::left_out || clause.owner != component) continue;
    there -= clause.owners;
    if (clause.owners.none())
      why_none = fmt::format(" ({})", clause.clause.text);
    else
      left_out += fmt::format("{} {} ({})", left_out.empty() ? "; left out:" : ",",
                              versions_in_words(problem.components[component], clause.owners), clause.clause.text);
  }
  return (there.any() ? versions_in_words(problem.components[component], there) : "none") + why_none + left_out;
}

std::string versions_in_words(const ComponentVersions& component, const VersionSet& versions) {
  std::vector<std::string> texts;
  for (auto v = versions.find_first(); v != VersionSet::npos; v = versions.find_next(v))
    texts.push_back(component.versions[v]);
  if (texts.size() <= versions_listed_at_most) return fmt::format("{}", fmt::join(texts, ", "));
  const auto first = versions.find_first();
  const bool run = (versions >> (first + texts.size())).none();
  if (run) return fmt::format("{} to {} ({} versions)", texts.front(), texts.back(), texts.size());
  const auto more = texts.size() - (versions_listed_at_most - 1);
  texts.resize(versions_listed_at_most - 1);
  return fmt::format("{} and {} more", fmt::join(texts, ", "), more);
}

std::string clause_in_words(const Problem& problem, const Clash& clash,
                            const CompiledClause& clause) {
  const auto& text = clause.clause.text;
  switch (clause.clause.kind) {
    case Kind::root:
      return "root: " + text;
    case Kind::hardware:
      return "hardware: " + text;
    case Kind::pin:
      return "pin: " + text;
    case Kind::asked:
      return "asked for: " + text;
    case Kind::left_out:
      return left_out_in_words(problem, clause);
    default:
      return said(problem, clash, clause, text);
  }
}

std::string clause_in_tree(const Problem& problem, const Clash& clash,
                           const CompiledClause& clause) {
  const auto& text = clause.clause.text;
  const auto [name, range] = name_and_range(text);
  switch (clause.clause.kind) {
    case Kind::root:
      return "the project needs " + without_star(text);
    case Kind::hardware:
      return "the project runs on " + text;
    case Kind::pin:
      return fmt::format("the project pins {} to {}", name, range);
    case Kind::asked:
      return text + " is asked for";
    case Kind::requirement:
      return said(problem, clash, clause, without_star(text));
    case Kind::left_out:
      return left_out_in_words(problem, clause);
    default:
      return said(problem, clash, clause, text);
  }
}

std::vector<std::string> exclusions_in_words(const Problem& problem, const Clash& clash) {
  std::vector<std::string> result;
  for (std::size_t c = 0; c < problem.components.size(); ++c) {
    const auto demanded = demands_on(problem, clash, c);
    for (auto a = demanded.begin(); a != demanded.end(); ++a)
      for (auto b = a + 1; b != demanded.end(); ++b)
        if (exclude_each_other(*a, *b))
          result.push_back(fmt::format("no version of {} is both {} and {}",
                                       problem.components[c].name, a->text, b->text));
  }
  if (result.size() > exclusions_listed_at_most) {
    const auto more = result.size() - (exclusions_listed_at_most - 1);
    result.resize(exclusions_listed_at_most - 1);
    result.push_back(fmt::format("{} more pairs exclude each other", more));
  }
  return result;
}

std::vector<std::string> notes_in_words(const Problem& problem, const Clash& clash) {
  std::vector<std::string> notes;
  const auto note = [&](std::string text) {
    if (std::ranges::find(notes, text) == notes.end()) notes.push_back(std::move(text));
  };
  std::set<std::size_t> demanded;  // components that the clash wants by name
  for (const auto* clause : clash) {
    if (!demands(*clause) || clause->clause.kind == Kind::left_out) continue;
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
                         known_versions(problem, slot.holders.front().component)));
      else
        for (const auto& text : unnamed_in_words(problem, clash, need)) note(text);
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
                         const Choice& stack) {
  if (clause.clause.kind == Kind::left_out) return clause.to_have + missing_in_words(problem, clause.owner, stack).second;
  const char* kind = clause.clause.kind == Kind::root       ? "the root requirement"
                     : clause.clause.kind == Kind::hardware ? "the hardware"
                                                            : "the pin";
  std::string text = fmt::format("leave out or change {} {}", kind, clause.clause.text);
  for (const auto& holder : problem.slots[clause.needs.front().slot].holders)
    if (const auto version = stack[holder.component]; version >= 0) {
      if (const auto [to_have, words] = missing_in_words(problem, holder.component, stack); !words.empty())
        return fmt::format("{}{}{}", text, to_have.empty() ? "" : " and " + to_have, words);
      return fmt::format(
          "{}: there are stacks with {} {}", text, problem.components[holder.component].name,
          problem.components[holder.component].versions[static_cast<std::size_t>(version)]);
    }
  return text;
}

std::string Unsolvable::text() const {
  const auto asked = std::ranges::find(clauses, Kind::asked, &Clause::kind);
  std::string text = asked != clauses.end() ? asked->text + " is in no stack:"
                     : clash.size() == 1    ? "This cannot be met:"
                                            : "These clash, and none can be left out:";
  for (const auto& line : drawn(tree)) text += "\n  " + line;
  for (const auto& one : so) text += "\n  so: " + one;
  for (const auto& one : notes) text += "\n  note: " + one;
  for (const auto& fix : fixes) text += "\n  to fix: " + fix;
  if (fixes.empty() && asked == clauses.end())
    text += "\n  no single root, pin or hardware is to blame: leaving out one leaves other clashes";
  return text;
}

}  // namespace stackx::resolver
