// The solutions in order of an additive score, best first; among equals, in the order of the list.
//
// A best-first search over the circuit in which nothing is estimated: a node's choices are ranked
// by what the best solution through them scores, found when it is asked for. Upper bounds (the
// tables again, with maximum and sum in place of sum and product) say which choices need not be
// looked into yet. So the search goes straight down to each next solution. Scores are integers, and
// equal scores are equal.
#pragma once

#include <deque>
#include <optional>
#include <queue>

#include "resolver/tables/circuit.hpp"
#include "resolver/tables/space.hpp"

namespace stackx::resolver {

// Upper bounds of the best score below each entry of each message.
class Bounds {
 public:
  Bounds(const Network& network, const Plan& plan, const VersionScores& scores)
      : tables_(plan.buckets.size()) {
    for (std::size_t b = 0; b < tables_.size(); ++b) Sweep(network, plan, b, scores, tables_).run();
  }
  Score at(std::size_t bucket, std::size_t place) const {
    return tables_[bucket][tables_[bucket].find(place)];
  }

  static constexpr Score impossible = -(Score{1} << 120);

 private:
  class Sweep : Walk<Score> {
   public:
    Sweep(const Network& network, const Plan& plan, std::size_t b, const VersionScores& scores,
          std::vector<Table<Score>>& tables)
        : Walk(plan, b, tables), table_(tables[b]), best_(bucket_.own_classes, impossible) {
      const auto& variable = network.variables[bucket_.variable];
      for (std::size_t v = 0; v < variable.size(); ++v) {
        Score& best = best_[bucket_.own_class_of[v]];
        if (variable.versions.empty() || variable.versions[v].empty())
          best = std::max<Score>(best, 0);
        else
          for (const auto version : variable.versions[v])
            best = std::max(best, scores[variable.index][static_cast<std::size_t>(version)]);
      }
      table_.clear(bucket_);
      sums_.resize(depths() * bucket_.own_classes);
    }

    void run() {
      for (Index t = 0; t < bucket_.own_classes; ++t)
        if (best_[t] == impossible) mask(0)[t / 64] &= ~(Word{1} << (t % 64));
      descend(0, best_.data());
    }

   private:
    // The sums of what is known at `depth`, then on.
    void descend(std::size_t depth, const Score* sums) {
      for (const auto m : complete(depth)) {
        Score* own = sums_.data() + depth * bucket_.own_classes;
        if (!add(row(depth, m), depth, sums, own)) return;
        sums = own;
      }
      if (depth + 1 < depths()) {
        each_class(depth, [&] { descend(depth + 1, sums); });
        return;
      }
      Score most = impossible;
      each_own(depth, [&](std::size_t t) { most = std::max(most, sums[t]); });
      if (most > impossible) table_.push(place(), joint(), most);
    }

    // False if no own class is left.
    bool add(const Row& row, std::size_t depth, const Score* sums, Score* into) {
      Word* left = mask(depth);
      bool any = false;
      each_own(depth, [&](std::size_t t) {
        if (const auto entry = row.find(t); entry != Table<Score>::none)
          into[t] = sums[t] + row[entry], any = true;
        else
          left[t / 64] &= ~(Word{1} << (t % 64));
      });
      return any;
    }

    Table<Score>& table_;
    std::vector<Score> best_;  // by own class
    std::vector<Score> sums_;  // by depth and own class
  };

  std::vector<Table<Score>> tables_;
};

template <typename Number>
class Best {
 public:
  Best(Circuit<Number>& circuit, const Network& network, const Plan& plan,
       const VersionScores& scores)
      : circuit_(circuit), plan_(plan), scores_(scores), bounds_(network, plan, scores) {}

  // Until `visit(chosen, score)` returns false.
  template <typename Visit>
  void each(const Chosen& start, Visit visit) {
    std::priority_queue<const State*, std::vector<const State*>, Later> waiting(Later{this});
    const Pending* roots = nullptr;
    Score sum = 0;
    for (std::size_t i = circuit_.roots().size(); i-- > 0;) {
      roots = push(circuit_.roots()[i], roots);
      sum += best(circuit_.roots()[i]);
    }
    if (!roots) {
      visit(start, 0);
      return;
    }
    waiting.push(add({sum, nullptr, roots, 0, 0}));
    while (!waiting.empty()) {
      const State& state = *waiting.top();
      waiting.pop();
      auto& ranked = ranking(state.pending->node);
      if (const auto* next = ranked.at(*this, state.rank + 1))
        waiting.push(add({state.score - ranked.at(*this, state.rank)->score + next->score,
                          state.before, state.pending, state.rank + 1, state.depth}));
      if (const auto* rest = after(state, *ranked.at(*this, state.rank))) {
        waiting.push(add({state.score, &state, rest, 0, state.depth + 1}));
      } else if (!visit(chosen(start, state), state.score)) {
        return;
      }
    }
  }

 private:
  using Node = typename Circuit<Number>::Node;
  using NodeRef = typename Circuit<Number>::NodeRef;

  // One alternative of a node with one of its members.
  struct Choice {
    Score score = 0;                          // of the best solution through it, or an upper bound
    std::size_t alternative = 0, member = 0;  // member: place in `members`
    bool exact = false;
  };

  // The choices of a node, best first, as far as they were asked for.
  class Ranking {
   public:
    Ranking(Best& best, const NodeRef& node) : open_(best.circuit_.open(node)) {
      for (std::size_t a = 0; a < open_->option.size(); ++a) {
        members_.push_back(best.sorted_members(*open_.node, *open_.get(), a));
        Score sum = members_.back().front().first;
        for (const auto* child = children(best, a); child != children(best, a + 1); ++child)
          sum += best.bound(**child);
        waiting_.push({sum, a, 0, false});
      }
    }

    const Choice* at(Best& best, std::size_t rank) {
      while (ranked_.size() <= rank && !waiting_.empty()) {
        Choice top = waiting_.top();
        waiting_.pop();
        if (!top.exact) {
          top.score = members_[top.alternative][top.member].first;
          for (const auto* child = children(best, top.alternative);
               child != children(best, top.alternative + 1); ++child)
            top.score += best.best(*child);
          top.exact = true;
          waiting_.push(top);
          continue;
        }
        ranked_.push_back(top);
        const auto& members = members_[top.alternative];
        if (top.member + 1 < members.size())
          waiting_.push({top.score - members[top.member].first + members[top.member + 1].first,
                         top.alternative, top.member + 1, true});
      }
      return rank < ranked_.size() ? &ranked_[rank] : nullptr;
    }

    const NodeRef* children(Best& best, std::size_t alternative) const {
      return open_->children.data() + alternative * best.circuit_.children(*open_.node);
    }
    // Version and place in the list of alternative and member, which is what ties are broken by.
    std::int32_t version(Best& best, const Choice& choice) const {
      return best.circuit_.members(*open_.node, *open_.get(), choice.alternative)[place(choice)];
    }
    std::size_t place(const Choice& choice) const {
      return members_[choice.alternative][choice.member].second;
    }

   private:
    struct Worse {
      bool operator()(const Choice& a, const Choice& b) const {
        if (a.score != b.score) return a.score < b.score;
        return std::pair(a.alternative, a.member) > std::pair(b.alternative, b.member);
      }
    };

    typename Circuit<Number>::Open open_;
    std::vector<std::vector<std::pair<Score, std::size_t>>> members_;  // best first, with places
    std::priority_queue<Choice, std::vector<Choice>, Worse> waiting_;
    std::deque<Choice> ranked_;
  };

  // Nodes still to be decided, in order.
  struct Pending {
    NodeRef node;
    const Pending* next;
  };
  struct State {
    Score score;          // of the best solution that goes on from here
    const State* before;  // the choice made before this
    const Pending* pending;
    std::size_t rank;  // which choice of the first pending node
    std::size_t depth;
  };
  struct Later {
    bool operator()(const State* a, const State* b) const {
      if (a->score != b->score) return a->score < b->score;
      return best->after_in_list(*a, *b);
    }
    Best* best;
  };

  Ranking& ranking(const NodeRef& node) {
    auto& known = rankings_[node.get()];
    if (!known) known = std::make_unique<Ranking>(*this, node);
    return *known;
  }
  Score best(const NodeRef& node) { return ranking(node).at(*this, 0)->score; }

  std::vector<std::pair<Score, std::size_t>> sorted_members(
      const Node& node, const typename Circuit<Number>::Expansion& open, std::size_t a) const {
    const auto component = circuit_.component(node);
    const auto& members = circuit_.members(node, open, a);
    std::vector<std::pair<Score, std::size_t>> sorted;
    for (std::size_t m = 0; m < members.size(); ++m)
      sorted.emplace_back(
          component < 0 || members[m] < 0
              ? Score{0}
              : scores_[static_cast<std::size_t>(component)][static_cast<std::size_t>(members[m])],
          m);
    std::ranges::stable_sort(sorted, std::ranges::greater{}, &std::pair<Score, std::size_t>::first);
    return sorted;
  }

  // Whether the support is found below matters little to a bound.
  Score bound(const Node& node) const {
    const auto& bucket = plan_.buckets[node.bucket];
    std::vector<Index> joint(node.state.size());
    for (std::size_t i = 0; i < joint.size(); ++i) {
      const Index q = bucket.classes[i], state = node.state[i];
      joint[i] = state < q ? state : (state - q) / q;
    }
    return bounds_.at(node.bucket, *bucket.at(joint));
  }

  const Pending* push(const NodeRef& node, const Pending* next) {
    return &pending_.emplace_back(Pending{node, next});
  }
  const State* add(const State& state) { return &states_.emplace_back(state); }

  // What is pending after the choice.
  const Pending* after(const State& state, const Choice& choice) {
    auto& ranked = ranking(state.pending->node);
    const Pending* rest = state.pending->next;
    const auto* first = ranked.children(*this, choice.alternative);
    for (auto* child = ranked.children(*this, choice.alternative + 1); child != first;)
      rest = push(*--child, rest);
    return rest;
  }

  Chosen chosen(const Chosen& start, const State& last) {
    Chosen chosen = start;
    for (const State* state = &last; state; state = state->before) {
      const auto component = circuit_.component(*state->pending->node);
      if (component < 0) continue;
      auto& ranked = ranking(state->pending->node);
      chosen[static_cast<std::size_t>(component)] =
          ranked.version(*this, *ranked.at(*this, state->rank));
    }
    return chosen;
  }

  // `a` and `b` score the same: does the list reach `a` later? What goes on from a choice comes
  // after it.
  bool after_in_list(const State& a, const State& b) {
    const State *one = &a, *other = &b;
    while (one->depth > other->depth) one = one->before;
    while (other->depth > one->depth) other = other->before;
    if (one == other) return a.depth > b.depth;
    while (one->before != other->before) one = one->before, other = other->before;
    auto& ranked = ranking(one->pending->node);
    const auto place = [&](const State& state) {
      const auto* choice = ranked.at(*this, state.rank);
      return std::pair(choice->alternative, ranked.place(*choice));
    };
    return place(*one) > place(*other);
  }

  Circuit<Number>& circuit_;
  const Plan& plan_;
  const VersionScores& scores_;
  Bounds bounds_;
  std::unordered_map<const Node*, std::unique_ptr<Ranking>> rankings_;
  std::deque<State> states_;
  std::deque<Pending> pending_;
};

}  // namespace stackx::resolver
