#include "resolver/explain.hpp"

#include <algorithm>
#include <iterator>

#include "resolver/first_stack.hpp"
#include "resolver/wording.hpp"

namespace stackx::resolver {
namespace {

using Indices = std::vector<std::size_t>;

class Explainer {
 public:
  explicit Explainer(const Problem& problem) : problem_(problem) {}

  Indices minimal_clash() {
    Indices all(problem_.clauses.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    Indices clash = quick_xplain({}, false, all);
    std::ranges::sort(clash);
    return clash;
  }

  // Roots, hardware and pins of the clash without which the whole problem has a stack.
  std::vector<std::string> fixes(const Indices& clash) const {
    std::vector<std::string> found;
    for (const auto i : clash) {
      if (problem_.clauses[i].owner != CompiledClause::nobody) continue;
      std::vector<bool> enabled(problem_.clauses.size(), true);
      enabled[i] = false;
      if (const auto stack = solve(std::move(enabled)))
        found.push_back(fix_in_words(problem_, problem_.clauses[i], *stack));
    }
    return found;
  }

 private:
  std::optional<Chosen> solve(std::vector<bool> enabled) const {
    return first_stack(lay_out(problem_, {std::move(enabled), {}}));
  }

  bool solvable(const Indices& clauses) const {
    std::vector<bool> enabled(problem_.clauses.size(), false);
    for (const auto i : clauses) enabled[i] = true;
    return solve(std::move(enabled)).has_value();
  }

  // A minimal part of `candidates` that clashes together with `kept`; `grown`: `kept` has just got
  // more.
  Indices quick_xplain(const Indices& kept, bool grown, const Indices& candidates) const {
    if (grown && !solvable(kept)) return {};
    if (candidates.size() <= 1) return candidates;
    const auto middle = candidates.begin() + static_cast<std::ptrdiff_t>(candidates.size() / 2);
    const Indices first(candidates.begin(), middle), second(middle, candidates.end());
    const Indices from_second = quick_xplain(joined(kept, first), true, second);
    const Indices from_first = quick_xplain(joined(kept, from_second), !from_second.empty(), first);
    return joined(from_first, from_second);
  }

  static Indices joined(Indices a, const Indices& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  const Problem& problem_;
};

}  // namespace

std::optional<Unsolvable> explain(const Problem& problem) {
  if (first_stack(lay_out(problem))) return {};
  Explainer explainer(problem);
  const auto clash = explainer.minimal_clash();
  std::vector<const CompiledClause*> clauses;
  for (const auto i : clash) clauses.push_back(&problem.clauses[i]);
  Unsolvable result;
  for (const auto* clause : clauses) result.clauses.push_back(clause->clause);
  result.clash = clauses_in_words(problem, clauses);
  result.notes = notes_in_words(problem, clauses);
  result.fixes = explainer.fixes(clash);
  return result;
}

}  // namespace stackx::resolver
