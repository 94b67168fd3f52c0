#include "resolver/explain/tree.hpp"

#include <algorithm>

#include "resolver/sat/founded.hpp"

namespace stackx::resolver {
namespace {

// The clause selects versions of the other's owner for which the other speaks.
bool leads(const Problem& problem, const CompiledClause& clause, const CompiledClause& other) {
  if (!demands(clause) || other.owner == CompiledClause::nobody) return false;
  return std::ranges::any_of(clause.needs, [&](const Need& need) {
    const auto& holders = problem.slots[need.slot].holders;
    for (std::size_t h = 0; h < holders.size(); ++h)
      if (holders[h].component == other.owner && need.satisfied[h].intersects(other.owners))
        return true;
    return false;
  });
}

class Tree {
 public:
  Tree(const Problem& problem, const Clash& clash)
      : problem_(problem), clash_(clash), below_(clash.size()), placed_(clash.size()) {}

  std::vector<Reason> run() {
    const auto each_top = [&](auto is_top) {
      const auto before = top_.size();
      for (std::size_t i = 0; i < clash_.size(); ++i)
        if (!placed_[i] && is_top(*clash_[i])) put_on_top(i);
      spread(before);
    };
    each_top([](const auto& clause) {
      return clause.owner == CompiledClause::nobody && demands(clause);
    });
    each_top([](const auto& clause) { return clause.owner == CompiledClause::nobody; });
    for (std::size_t i = 0; i < clash_.size(); ++i)
      if (!placed_[i]) {
        put_on_top(i);
        spread(top_.size() - 1);
      }
    std::vector<Reason> tree;
    for (const auto i : top_) tree.push_back(reason(i));
    return tree;
  }

 private:
  void put_on_top(std::size_t i) {
    placed_[i] = true;
    top_.push_back(i);
  }

  // Level by level, from the top on that are new.
  void spread(std::size_t from) {
    std::vector<std::size_t> waiting(top_.begin() + static_cast<std::ptrdiff_t>(from), top_.end());
    for (std::size_t next = 0; next < waiting.size(); ++next)
      for (std::size_t i = 0; i < clash_.size(); ++i) {
        if (placed_[i] || !leads(problem_, *clash_[waiting[next]], *clash_[i])) continue;
        placed_[i] = true;
        below_[waiting[next]].push_back(i);
        waiting.push_back(i);
      }
  }

  Reason reason(std::size_t i) const {
    Reason reason{clause_in_tree(problem_, clash_, *clash_[i]), {}};
    for (const auto below : below_[i]) reason.leads_to.push_back(this->reason(below));
    return reason;
  }

  const Problem& problem_;
  const Clash& clash_;
  std::vector<std::size_t> top_;
  std::vector<std::vector<std::size_t>> below_;  // by clause of the clash
  std::vector<bool> placed_;
};

void draw(const std::vector<Reason>& reasons, const std::string& indent, bool top,
          std::vector<std::string>& lines) {
  for (const auto& reason : reasons) {
    const bool last = &reason == &reasons.back();
    lines.push_back(indent + (top ? "" : last ? "└─ " : "├─ ") + reason.text);
    draw(reason.leads_to, indent + (top ? "" : last ? "   " : "│  "), false, lines);
  }
}

}  // namespace

std::vector<Reason> explanation_tree(const Problem& problem, const Clash& clash) {
  return Tree(problem, clash).run();
}

std::vector<std::string> drawn(const std::vector<Reason>& tree) {
  std::vector<std::string> lines;
  draw(tree, "", true, lines);
  return lines;
}

}  // namespace stackx::resolver
