#include "resolver/network/network.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <map>
#include <set>

namespace stackx::resolver {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

// A value before it becomes a number: its class of versions (and holder, for slots), whether it is
// demanded, its level.
struct Meaning {
  std::size_t holder = none;  // component; none: absent, nobody, condition does not hold
  std::size_t version_class = 0;
  bool demanded = false;
  std::size_t level = 0;
  bool present() const { return holder != none; }
};

class Builder {
 public:
  Builder(const Problem& problem, const std::optional<Stratum>& stratum)
      : problem_(problem), stratum_(stratum) {}

  Network run() {
    find_classes();
    find_nodes();
    find_cycles();
    for (std::size_t node = 0; node < nodes_.size(); ++node) add_values(node);
    for (std::size_t s = 0; s < problem_.slots.size(); ++s) add_channels(s);
    for (std::size_t i = 0; i < problem_.clauses.size(); ++i) add_clause(i);
    if (stratum_) restrict_to_stratum();
    for (auto& [pair, relation] : relations_) network_.relations.push_back(std::move(relation));
    if (impossible_)  // a value that is not possible
      network_.variables.push_back({Kind::condition, 0, {false}, Bits(1), {}});
    return std::move(network_);
  }

 private:
  using Kind = Variable::Kind;
  struct Node {
    Kind kind;
    std::size_t index;
    bool root = false;     // a root demands it
    bool certain = false;  // and that is support enough for all of its versions
    std::vector<const Need*> rooted = {};  // by which roots
    std::size_t cycle = 0, levels = 1;
  };

  // Versions that hold the same names, say the same, and are in the same ranges.
  void find_classes() {
    std::vector<std::vector<std::string>> signatures;
    for (const auto& component : problem_.components)
      signatures.emplace_back(component.versions.size());
    const auto mark = [&](std::size_t component, const VersionSet& versions) {
      for (std::size_t v = 0; v < versions.size(); ++v)
        signatures[component][v] += versions[v] ? '1' : '0';
    };
    const auto mark_needs = [&](const std::vector<Need>& needs) {
      for (const auto& need : needs)
        for (std::size_t h = 0; h < need.satisfied.size(); ++h)
          if (remember(need.slot, h, need.satisfied[h]))
            mark(problem_.slots[need.slot].holders[h].component, need.satisfied[h]);
      for (const auto& need : needs)
        for (std::size_t h = 0; h < need.brought.size(); ++h)
          if (remember(need.slot, h, need.brought[h]))
            mark(problem_.slots[need.slot].holders[h].component, need.brought[h]);
    };
    for (std::size_t c = 0; c < problem_.by_name.size(); ++c) mark(c, problem_.by_name[c]);
    for (const auto& slot : problem_.slots)
      for (const auto& holder : slot.holders) mark(holder.component, holder.versions);
    for (const auto& clause : problem_.clauses) {
      if (clause.owner != CompiledClause::nobody) mark(clause.owner, clause.owners);
      mark_needs(clause.if_);
      mark_needs(clause.needs);
    }
    seen_.clear();
    classes_.resize(signatures.size());
    for (std::size_t c = 0; c < signatures.size(); ++c) {
      std::map<std::string_view, std::size_t> known;
      for (std::size_t v = 0; v < signatures[c].size(); ++v) {
        const auto [at, is_new] = known.try_emplace(signatures[c][v], classes_[c].size());
        if (is_new) classes_[c].emplace_back();
        classes_[c][at->second].push_back(static_cast<std::int32_t>(v));
      }
    }
  }

  bool remember(std::size_t slot, std::size_t holder, const VersionSet& satisfied) {
    return seen_[{slot, holder}].insert(satisfied).second;
  }

  // A name that is only, and always, a component's own is that component.
  bool is_plain(std::size_t slot) const {
    const auto& holders = problem_.slots[slot].holders;
    return holders.size() == 1 && holders.front().versions.all();
  }

  void find_nodes() {
    for (std::size_t c = 0; c < problem_.components.size(); ++c)
      nodes_.push_back({Kind::component, c});
    for (std::size_t s = 0; s < problem_.slots.size(); ++s) {
      const auto& holders = problem_.slots[s].holders;
      if (is_plain(s)) {
        node_of_slot_.push_back(holders.front().component);
      } else if (holders.empty()) {
        node_of_slot_.push_back(none);
      } else {
        node_of_slot_.push_back(nodes_.size());
        nodes_.push_back({Kind::slot, s});
      }
    }
    node_of_condition_.assign(problem_.clauses.size(), none);
    for (std::size_t i = 0; i < problem_.clauses.size(); ++i) {
      const auto& clause = problem_.clauses[i];
      const auto impossible = [&](const Need& need) { return node_of_slot_[need.slot] == none; };
      if (clause.clause.kind == Clause::Kind::condition &&
          std::ranges::none_of(clause.if_, impossible)) {
        node_of_condition_[i] = nodes_.size();
        nodes_.push_back({Kind::condition, i});
      }
      if (is_root(clause))
        for (const auto& need : clause.needs)
          if (!impossible(need)) {
            auto& node = nodes_[node_of_slot_[need.slot]];
            node.root = true;
            node.rooted.push_back(&need);
          }
    }
    for (auto& node : nodes_) node.certain = node.root && !may_need_a_name(node);
  }

  bool may_need_a_name(const Node& node) const {
    if (problem_.by_name.empty()) return false;
    if (node.kind == Kind::component) return problem_.by_name[node.index].any();
    return std::ranges::any_of(problem_.slots[node.index].holders,
                               [&](const Holder& holder) { return problem_.by_name[holder.component].any(); });
  }

  // Versions of a class are in a stack only where they are named.
  bool is_by_name(std::size_t component, std::size_t version_class) const {
    return !problem_.by_name.empty() && in(problem_.by_name[component], component, version_class);
  }

  bool brings(const Need& need, const Meaning& meaning) const {
    const auto& slot = problem_.slots[need.slot];
    for (std::size_t h = 0; h < slot.holders.size(); ++h)
      if (slot.holders[h].component == meaning.holder)
        return in(need.brought_of(slot, h), meaning.holder, meaning.version_class);
    return false;
  }

  // What is in this class is in a stack because of a root.
  bool is_rooted(const Node& node, std::size_t component, std::size_t version_class) const {
    return std::ranges::any_of(node.rooted, [&](const Need* need) { return brings(*need, {component, version_class}); });
  }

  static bool is_root(const CompiledClause& clause) {
    return clause.clause.kind == Clause::Kind::root || clause.clause.kind == Clause::Kind::hardware;
  }

  // Cycles of support: strongly connected components of who may found whom.
  void find_cycles() {
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph(nodes_.size());
    const auto found = [&](std::size_t from, std::size_t to) {
      if (to != none && !nodes_[to].certain) boost::add_edge(from, to, graph);
    };
    for (std::size_t s = 0; s < problem_.slots.size(); ++s)
      if (node_of_slot_[s] != none && nodes_[node_of_slot_[s]].kind == Kind::slot)
        for (const auto& holder : problem_.slots[s].holders)
          found(node_of_slot_[s], holder.component);
    for (std::size_t i = 0; i < problem_.clauses.size(); ++i) {
      const auto& clause = problem_.clauses[i];
      std::size_t from = clause.owner;
      if (clause.clause.kind == Clause::Kind::condition) {
        from = node_of_condition_[i];
        if (from == none) continue;
        found(clause.owner, from);
      } else if (clause.clause.kind != Clause::Kind::requirement) {
        continue;
      }
      for (const auto& need : clause.needs)
        if (node_of_slot_[need.slot] != from) found(from, node_of_slot_[need.slot]);
    }
    std::vector<std::size_t> cycle(nodes_.size());
    const auto count = boost::strong_components(graph, cycle.data());
    std::vector<std::size_t> members(count), components(count);
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      ++members[cycle[n]];
      components[cycle[n]] += nodes_[n].kind == Kind::component;
    }
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      nodes_[n].cycle = cycle[n];
      const bool alone = members[cycle[n]] == 1;
      nodes_[n].levels = alone ? 1 : components[cycle[n]] + 1;
    }
  }

  void add_values(std::size_t index) {
    const auto& node = nodes_[index];
    Variable variable{node.kind, node.index, {}, {}, {}};
    auto& meanings = meanings_.emplace_back();
    const auto add = [&](Meaning meaning, bool needs) {
      meanings.push_back(meaning);
      variable.needs.push_back(needs);
      if (node.kind != Kind::component) return;
      variable.versions.emplace_back();
      if (meaning.present()) variable.versions.back() = classes_[node.index][meaning.version_class];
    };
    switch (node.kind) {
      case Kind::component:
        if (!node.root) add({}, false);
        for (std::size_t k = 0; k < classes_[node.index].size(); ++k) add_held(node, node.index, k, add);
        break;
      case Kind::slot:
        if (!node.root) add({}, false);
        for (const auto& holder : problem_.slots[node.index].holders)
          for (std::size_t k = 0; k < classes_[holder.component].size(); ++k) {
            if (!in(holder.versions, holder.component, k)) continue;
            if (!node.root || is_by_name(holder.component, k)) add({holder.component, k, false, 0}, false);
            add_held(node, holder.component, k, add);
          }
        break;
      case Kind::condition:
        add({}, true);
        for (std::size_t level = 0; level < node.levels; ++level) add({0, 0, true, level}, false);
        break;
    }
    variable.possible = Bits(variable.size()).set();
    network_.variables.push_back(std::move(variable));
  }

  // One value for each level; what a root brings is on the first, and needs no other support.
  template <typename Add>
  void add_held(const Node& node, std::size_t component, std::size_t version_class, Add add) {
    const bool rooted = is_rooted(node, component, version_class);
    for (std::size_t level = 0; level < (rooted ? 1 : node.levels); ++level)
      add({component, version_class, true, level}, !rooted);
  }

  bool in(const VersionSet& versions, std::size_t component, std::size_t version_class) const {
    return versions[static_cast<std::size_t>(classes_[component][version_class].front())];
  }

  // The holder of the need's slot is in its range.
  bool meets(const Need& need, const Meaning& meaning) const {
    if (!meaning.present()) return false;
    const auto& holders = problem_.slots[need.slot].holders;
    for (std::size_t h = 0; h < holders.size(); ++h)
      if (holders[h].component == meaning.holder)
        return in(need.satisfied[h], meaning.holder, meaning.version_class);
    return false;
  }

  // Calls `judge(meaning of a, meaning of b) -> Judgement` for each pair of values.
  struct Judgement {
    bool allowed = true, supports_b = false, supports_a = false;
  };
  template <typename Judge>
  void relate(std::size_t a, std::size_t b, Judge judge) {
    const std::size_t first = std::min(a, b), second = std::max(a, b);
    auto& relation = relations_[{first, second}];
    const auto &values = meanings_[first], &others = meanings_[second];
    if (relation.allowed.empty()) {
      relation.first = first;
      relation.second = second;
      relation.allowed.assign(values.size(), Bits(others.size()).set());
      relation.first_supported.assign(values.size(), Bits(others.size()));
      relation.second_supported = relation.first_supported;
    }
    for (std::size_t v = 0; v < values.size(); ++v)
      for (std::size_t w = 0; w < others.size(); ++w) {
        const Judgement said =
            first == a ? judge(values[v], others[w]) : judge(others[w], values[v]);
        if (!said.allowed) relation.allowed[v].reset(w);
        if (said.supports_a)
          (first == a ? relation.first_supported : relation.second_supported)[v].set(w);
        if (said.supports_b)
          (first == a ? relation.second_supported : relation.first_supported)[v].set(w);
      }
  }

  // `from` in `founder` founds `to` in `founded`, as far as their levels agree with it.
  Judgement founds(std::size_t founder, const Meaning& from, std::size_t founded,
                   const Meaning& to) const {
    const bool from_outside = nodes_[founder].cycle != nodes_[founded].cycle;
    if (from_outside) return {to.level == 0, to.level == 0, false};
    // Every cycle leads through a component: it is enough to count these.
    const std::size_t step = nodes_[founded].kind == Kind::component ? 1 : 0;
    return {from.level + step >= to.level, from.level + step == to.level, false};
  }

  // Whoever is in the slot's variable holds its name, and the holder knows it.
  void add_channels(std::size_t s) {
    const std::size_t node = node_of_slot_[s];
    if (node == none || nodes_[node].kind != Kind::slot) return;
    for (const auto& holder : problem_.slots[s].holders)
      relate(node, holder.component,
             [&](const Meaning& slot, const Meaning& component) -> Judgement {
               const bool held = slot.holder == holder.component;
               const bool holds = component.present() &&
                                  in(holder.versions, holder.component, component.version_class);
               if (held != holds || (held && slot.version_class != component.version_class))
                 return {false, false, false};
               if (!held || !slot.demanded) return {};
               return founds(node, slot, holder.component, component);
             });
  }

  void add_clause(std::size_t i) {
    const auto& clause = problem_.clauses[i];
    const auto owns = [&](const Meaning& meaning) {
      return meaning.present() && in(clause.owners, clause.owner, meaning.version_class);
    };
    switch (clause.clause.kind) {
      case Clause::Kind::condition:
        add_condition(i);
        break;
      case Clause::Kind::requirement:
        demand(clause.owner, owns, clause.needs.front());
        break;
      case Clause::Kind::conflict:
        add_conflict(clause, owns);
        break;
      case Clause::Kind::pin:
        add_pin(clause.needs.front());
        break;
      default:
        for (const auto& need : clause.needs) add_root(need);
    }
  }

  template <typename Owns>
  void demand(std::size_t from, Owns owns, const Need& need) {
    const std::size_t to = node_of_slot_[need.slot];
    if (to == none || to == from) {
      forbid(from, [&](const Meaning& meaning) {
        return owns(meaning) && (to == none || !meets(need, meaning));
      });
      return;
    }
    relate(from, to, [&](const Meaning& owner, const Meaning& wanted) -> Judgement {
      if (!owns(owner)) return {};
      if (!meets(need, wanted)) return {false, false, false};
      // Met, but by what another must name: no support, and of a slot no matter whether it is demanded.
      if (!brings(need, wanted)) return {};
      if (!wanted.demanded) return {false, false, false};
      return founds(from, owner, to, wanted);
    });
  }

  template <typename Owns>
  void add_conflict(const CompiledClause& clause, Owns owns) {
    const auto& need = clause.needs.front();
    const std::size_t to = node_of_slot_[need.slot];
    if (to == none || to == clause.owner) return;
    relate(clause.owner, to, [&](const Meaning& owner, const Meaning& other) -> Judgement {
      return {!owns(owner) || other.holder == clause.owner || !meets(need, other), false, false};
    });
  }

  void add_pin(const Need& need) {
    const auto& holders = problem_.slots[need.slot].holders;
    for (std::size_t h = 0; h < holders.size(); ++h)
      forbid(holders[h].component, [&](const Meaning& meaning) {
        return meaning.present() &&
               in(holders[h].versions, meaning.holder, meaning.version_class) &&
               !in(need.satisfied[h], meaning.holder, meaning.version_class);
      });
  }

  void add_root(const Need& need) {
    const std::size_t node = node_of_slot_[need.slot];
    if (node == none)
      impossible_ = true;
    else
      forbid(node, [&](const Meaning& meaning) {
        return !meets(need, meaning) || (brings(need, meaning) && !meaning.demanded);
      });
  }

  void add_condition(std::size_t i) {
    const auto& clause = problem_.clauses[i];
    const std::size_t node = node_of_condition_[i];
    if (node == none) return;
    const auto holds = [](const Meaning& meaning) { return meaning.present(); };
    relate(node, clause.owner, [&](const Meaning& condition, const Meaning& owner) -> Judgement {
      const bool is_owner = owner.present() && in(clause.owners, clause.owner, owner.version_class);
      if (!holds(condition)) return {true, false, !is_owner};
      const bool one_cycle = nodes_[node].cycle == nodes_[clause.owner].cycle;
      return {is_owner && condition.level == (one_cycle ? owner.level : 0), false, false};
    });
    for (const auto& need : clause.if_)
      relate(node, node_of_slot_[need.slot],
             [&](const Meaning& condition, const Meaning& other) -> Judgement {
               const bool met = meets(need, other);
               if (!holds(condition)) return {true, false, !met};
               return {met, false, false};
             });
    for (const auto& need : clause.needs) demand(node, holds, need);
  }

  template <typename Predicate>
  void forbid(std::size_t node, Predicate predicate) {
    for (std::size_t v = 0; v < meanings_[node].size(); ++v)
      if (predicate(meanings_[node][v])) network_.variables[node].possible.reset(v);
  }

  void restrict_to_stratum() {
    const std::size_t node = node_of_slot_[stratum_->slot];
    if (node == none) {
      impossible_ = impossible_ || stratum_->holder.has_value();
      return;
    }
    forbid(node, [&](const Meaning& meaning) {
      return meaning.holder != stratum_->holder.value_or(none);
    });
  }

  const Problem& problem_;
  const std::optional<Stratum>& stratum_;
  Network network_;
  std::map<std::pair<std::size_t, std::size_t>, std::set<VersionSet>> seen_;
  std::vector<std::vector<std::vector<std::int32_t>>> classes_;  // by component: versions
  std::vector<Node> nodes_;  // as network_.variables; components first
  std::vector<std::size_t> node_of_slot_, node_of_condition_;
  std::vector<std::vector<Meaning>> meanings_;  // by node and value
  std::map<std::pair<std::size_t, std::size_t>, Relation> relations_;
  bool impossible_ = false;
};

}  // namespace

Network network_of(const Problem& problem, const std::optional<Stratum>& stratum) {
  return Builder(problem, stratum).run();
}

}  // namespace stackx::resolver
