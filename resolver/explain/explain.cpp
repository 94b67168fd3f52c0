#include "resolver/explain/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "resolver/explain/excluded.hpp"
#include "resolver/explain/tree.hpp"
#include "resolver/explain/wording.hpp"
#include "resolver/sat/encoding.hpp"
#include "specs/error.hpp"
#include "specs/format/nearest.hpp"
#include "specs/python/pep508.hpp"

namespace stackx::resolver {
namespace {

using Indices = std::vector<std::size_t>;

// How many requirements lie between the roots and each clause.
Indices depths(const Problem& problem) {
  constexpr auto far = static_cast<std::size_t>(-1);
  Indices of_component(problem.components.size(), far), of_clause(problem.clauses.size(), far);
  for (std::size_t depth = 0, news = 1; news > 0; ++depth) {
    news = 0;
    for (std::size_t i = 0; i < problem.clauses.size(); ++i) {
      const auto& clause = problem.clauses[i];
      const bool from_project = clause.owner == CompiledClause::nobody;
      if (of_clause[i] != far || (from_project ? depth > 0 : of_component[clause.owner] >= depth))
        continue;
      of_clause[i] = depth;
      ++news;
      if (!demands(clause)) continue;
      for (const auto& need : clause.needs)
        for (const auto& holder : problem.slots[need.slot].holders)
          of_component[holder.component] = std::min(of_component[holder.component], depth);
    }
  }
  return of_clause;
}

class Explainer {
 public:
  explicit Explainer(const Problem& problem)
      : problem_(problem),
        encoding_(problem, Encoding::Clauses::selectable),
        depth_(depths(problem)) {
    for (std::size_t i = 0; i < problem.clauses.size(); ++i) clause_of_[encoding_.selector(i)] = i;
  }

  Encoding& encoding() { return encoding_; }

  // Clauses that clash with what is given, in the problem's order; nothing if none do.
  std::optional<Indices> minimal_clash(const Literals& given) {
    const auto farthest =
        std::accumulate(depth_.begin(), depth_.end(), std::size_t{0},
                        [](std::size_t a, std::size_t b) { return std::max(a, b); });
    for (std::size_t depth = 0; depth <= farthest; ++depth) {
      Indices near;
      for (std::size_t i = 0; i < depth_.size(); ++i)
        if (depth_[i] <= depth) near.push_back(i);
      if (!encoding_.find(with(given, near))) return reduced(given, core());
    }
    return {};
  }

  // The roots, hardware and pins of the clash without which, or with which changed, the whole
  // problem has a stack.
  std::vector<std::string> fixes(const Indices& clash, const Literals& given,
                                 std::optional<std::size_t> asked) {
    std::vector<std::string> found;
    for (const auto i : clash) {
      const auto& clause = problem_.clauses[i];
      const bool left_out = clause.clause.kind == Clause::Kind::left_out;
      if (left_out ? clause.to_have.empty() : clause.owner != CompiledClause::nobody) continue;
      auto stack = without({i}, given, asked);
      if (!stack && !left_out) stack = without(with_left_out(i), given, asked);
      if (stack) found.push_back(fix_in_words(problem_, clause, *stack));
    }
    return found;
  }

 private:
  Literals with(Literals given, const Indices& clauses) const {
    for (const auto i : clauses) given.push_back(encoding_.selector(i));
    return given;
  }

  Indices core() const {
    Indices clauses;
    for (const auto literal : encoding_.core())
      if (const auto found = clause_of_.find(literal); found != clause_of_.end())
        clauses.push_back(found->second);
    return clauses;
  }

  Indices reduced(const Literals& given, Indices clash) {
    const auto farther = [&](std::size_t a, std::size_t b) {
      return std::pair(depth_[a], a) > std::pair(depth_[b], b);
    };
    std::ranges::sort(clash, farther);
    for (std::size_t needed = 0; needed < clash.size();) {
      auto rest = clash;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(needed));
      if (encoding_.find(with(given, rest))) {
        ++needed;
      } else {
        clash = core();
        std::ranges::sort(clash, farther);
      }
    }
    std::ranges::sort(clash);
    return clash;
  }

  // The clause, and what excludes versions of the components that it is about.
  Indices with_left_out(std::size_t clause) const {
    Indices result{clause};
    for (std::size_t i = 0; i < problem_.clauses.size(); ++i)
      if (problem_.clauses[i].clause.kind == Clause::Kind::left_out)
        for (const auto& holder : problem_.slots[problem_.clauses[clause].needs.front().slot].holders)
          if (holder.component == problem_.clauses[i].owner) result.push_back(i);
    return result;
  }

  // A stack without the first clause (and the others), with a late version of what it is about if there is one. A root or
  // hardware that is changed to a version keeps this version needed.
  std::optional<Choice> without(const Indices& left_out, const Literals& given,
                                std::optional<std::size_t> asked) {
    auto enabled = std::vector<bool>(problem_.clauses.size(), true);
    for (const auto i : left_out) enabled[i] = false;
    Indices others;
    for (std::size_t i = 0; i < problem_.clauses.size(); ++i)
      if (enabled[i]) others.push_back(i);
    const auto assumptions = with(given, others);
    const auto& clause = problem_.clauses[left_out.front()];
    const auto stack = [&](const Choice& choice) {
      return encoding_.foundation().founded_part(choice, enabled);
    };
    const auto counts = [&](const Choice& choice) { return !asked || stack(choice)[*asked] >= 0; };

    const auto any = encoding_.find(assumptions);
    if (!any) return {};
    for (const auto& holder : problem_.slots[clause.needs.front().slot].holders) {
      const auto c = holder.component;
      const auto latest = latest_of(c, assumptions);
      if (!latest || !counts(*latest)) continue;
      if (demands(clause) || stack(*latest)[c] >= 0) return latest;
    }
    if (!counts(*any)) return {};
    return stack(*any);
  }

  std::optional<Choice> latest_of(std::size_t component, const Literals& assumptions) {
    std::optional<Choice> latest;
    VersionSet later(problem_.components[component].versions.size());
    for (later.set(); later.any();) {
      auto narrower = assumptions;
      narrower.push_back(encoding_.among(component, later));
      const auto choice = encoding_.find(narrower);
      if (!choice) break;
      latest = choice;
      for (std::int32_t v = 0; v <= (*choice)[component]; ++v)
        later.reset(static_cast<std::size_t>(v));
    }
    return latest;
  }

  const Problem& problem_;
  Encoding encoding_;
  Indices depth_;
  std::map<Literal, std::size_t> clause_of_;
};

Unsolvable in_words(const Problem& problem, const Clash& clash) {
  Unsolvable result;
  for (const auto* clause : clash) {
    result.clauses.push_back(clause->clause);
    result.clash.push_back(clause_in_words(problem, clash, *clause));
  }
  result.tree = explanation_tree(problem, clash);
  result.so = exclusions_in_words(problem, clash);
  result.notes = notes_in_words(problem, clash);
  return result;
}

Clash clauses_at(const Problem& problem, const Indices& clash) {
  Clash clauses;
  for (const auto i : clash) clauses.push_back(&problem.clauses[i]);
  return clauses;
}

struct Asked {
  std::size_t component, version;
};

Asked find_version(const Problem& problem, const std::string& component,
                   const std::string& version) {
  std::vector<std::string> names;
  for (const auto& one : problem.components) names.push_back(one.name);
  auto name = std::ranges::find(names, component);
  if (name == names.end())  // as pip has it: Jax is jax
    name = std::ranges::find(names, specs::normalized_name(component), specs::normalized_name);
  if (name == names.end())
    throw bad_input(fmt::format("nothing that the project can reach is called \"{}\"{}", component,
                                specs::suggestion_or(component, names, "; --share lists what it reaches")));
  const auto c = static_cast<std::size_t>(name - names.begin());
  const auto& versions = problem.components[c].versions;
  const auto found = std::ranges::find(versions, version);
  if (found == versions.end()) {
    std::vector<std::string> builds;  // 2.4.1 is 2.4.1+cu118, 2.4.1+cu121, ...
    for (const auto& known : versions)
      if (known.starts_with(version + "+")) builds.push_back(known);
    throw bad_input(fmt::format("the catalogs know no version \"{}\" of {}{}", version, component,
                                builds.empty() ? specs::suggestion_or(version, versions, "; known are " + known_versions(problem, c))
                                               : fmt::format("; it has the builds {}", fmt::join(builds, ", "))));
  }
  return {c, static_cast<std::size_t>(found - versions.begin())};
}

// As if the project required this very version.
CompiledClause asked_clause(const Problem& problem, const Asked& asked) {
  const auto& component = problem.components[asked.component];
  const auto& version = component.versions[asked.version];
  const auto slot = std::ranges::find(problem.slots, component.name, &Slot::name);
  CompiledClause clause;
  clause.clause = {Clause::Kind::asked, {}, {}, component.name + " " + version};
  Need need{static_cast<std::size_t>(slot - problem.slots.begin()), {}};
  for (const auto& holder : slot->holders) {
    need.satisfied.emplace_back(holder.versions.size());
    if (holder.component == asked.component) need.satisfied.back().set(asked.version);
  }
  clause.needs.push_back(std::move(need));
  return clause;
}

// The components that needs of the clash are about, of those needs that `which` chooses.
template <typename Which>
std::set<std::string> components_of(const Problem& problem, const Indices& clash, Which which) {
  std::set<std::string> names;
  for (const auto i : clash)
    for (const auto& need : problem.clauses[i].needs)
      if (which(problem.clauses[i], need))
        for (const auto& holder : problem.slots[need.slot].holders) names.insert(problem.components[holder.component].name);
  return names;
}

// Wanted in versions that the problem has not.
std::set<std::string> out_of_range(const Problem& problem, const Indices& clash) {
  return components_of(problem, clash, [](const CompiledClause& clause, const Need& need) {
    return demands(clause) && std::ranges::all_of(need.satisfied, &VersionSet::none);
  });
}

std::set<std::string> all_of_clash(const Problem& problem, const Indices& clash) {
  return components_of(problem, clash, [](const CompiledClause&, const Need&) { return true; });
}

// What is not in the catalog may be all that is wrong: versions that were left out, with which there may be stacks.
void add_imports(const Problem& wider, std::vector<std::string>& fixes) {
  Explainer explainer(wider);
  Indices left_out;
  for (std::size_t i = 0; i < wider.clauses.size(); ++i)
    if (wider.clauses[i].clause.kind == Clause::Kind::left_out) left_out.push_back(i);
  for (auto& fix : explainer.fixes(left_out, {}, {}))
    if (std::ranges::find(fixes, fix) == fixes.end()) fixes.push_back(std::move(fix));
}

// What contradicts the version, where support is demanded from the start: asking for it is support enough here.
std::optional<Indices> contradiction(Problem problem, const CompiledClause& question, const Asked& asked) {
  problem.clauses.push_back(question);
  Explainer explainer(problem);
  auto clash = explainer.minimal_clash({explainer.encoding().is(asked.component, asked.version)});
  if (clash) std::erase(*clash, problem.clauses.size() - 1);
  return clash;
}

// Who could need the version, and what is known against that.
std::vector<std::string> supporters_in_words(const Problem& problem, const Asked& asked) {
  constexpr std::size_t at_most = 6;
  const auto reasons = excluded(problem);
  std::vector<std::string> notes;
  for (const auto& clause : problem.clauses) {
    const auto allows = [&](const Need& need) {
      const auto& holders = problem.slots[need.slot].holders;
      for (std::size_t h = 0; h < holders.size(); ++h)
        if (holders[h].component == asked.component && need.satisfied[h][asked.version])
          return true;
      return false;
    };
    if (!demands(clause) || clause.owner == CompiledClause::nobody ||
        clause.owner == asked.component || std::ranges::none_of(clause.needs, allows))
      continue;
    const auto first = clause.owners.find_first();
    const auto& why = reasons[clause.owner];
    const bool none_left = [&] {
      for (auto v = first; v != VersionSet::npos; v = clause.owners.find_next(v))
        if (why[v].empty()) return false;
      return true;
    }();
    notes.push_back(fmt::format("{}{}", clause_in_words(problem, {&clause}, clause),
                                none_left ? ", but is in no stack: " + why[first] : ""));
  }
  if (notes.empty())
    return {"it contradicts nothing, but nothing that the project can reach needs this version"};
  if (notes.size() > at_most) {
    const auto more = notes.size() - (at_most - 1);
    notes.resize(at_most - 1);
    notes.push_back(fmt::format("{} more could need it", more));
  }
  notes.insert(notes.begin(),
               "it contradicts nothing, but a stack holds only what something in it "
               "needs; what could need it:");
  return notes;
}

}  // namespace

std::optional<Unsolvable> explain(const Problem& problem, const WithLeftOut& with_left_out) {
  Explainer explainer(problem);
  const auto clash = explainer.minimal_clash({});
  if (!clash) return {};
  if (with_left_out)
    if (const auto wider = with_left_out(out_of_range(problem, *clash))) return explain(*wider, with_left_out);
  auto result = in_words(problem, clauses_at(problem, *clash));
  result.fixes = explainer.fixes(*clash, {}, {});
  if (with_left_out)
    if (const auto wider = with_left_out(all_of_clash(problem, *clash))) add_imports(*wider, result.fixes);
  return result;
}

std::optional<Unsolvable> explain_version(const Problem& problem, const std::string& component,
                                          const std::string& version) {
  const auto asked = find_version(problem, component, version);
  if (auto why = explain(problem)) return why;
  Explainer explainer(problem);
  const Literals given{explainer.encoding().is(asked.component, asked.version)};
  const auto question = asked_clause(problem, asked);
  auto clash = problem.by_name.empty() ? explainer.minimal_clash(given) : contradiction(problem, question, asked);
  const bool unneeded = !clash;
  if (unneeded) {
    explainer.encoding().require_founded();
    clash = explainer.minimal_clash(given);
    if (!clash) return {};
  }
  auto clauses = clauses_at(problem, *clash);
  clauses.insert(clauses.begin(), &question);
  auto result = in_words(problem, clauses);
  result.fixes = explainer.fixes(*clash, given, asked.component);
  if (unneeded) {
    const auto notes = supporters_in_words(problem, asked);
    result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
    result.fixes.push_back(fmt::format("require {} =={} in the project: there are stacks with it",
                                       component, version));
  }
  return result;
}

}  // namespace stackx::resolver
