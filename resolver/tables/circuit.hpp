// The solutions of a network as choices: what the tables count, walked from the top.
//
// A node is the rest of the problem below one bucket, given the classes of its scope: its number of
// solutions and its alternatives, each a class of values of the bucket's variable and one child for
// each message. One alternative out of every node on the way is one stack, and every stack is
// reached once, so drawing, ranking and listing never meet a dead end. Nodes are made when they are
// first entered and kept as far as memory allows.
//
// Support on the way down: of the parts that might support a value, the first that does is part of
// the choice. So a value of the scope is in state `class` (support does not matter below, or is
// ruled out: that is a class too) or `pair` (some neighbour below must support it): the class of
// its extended value `any` and that of `none`, whose solutions are subtracted.
#pragma once

#include <algorithm>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "resolver/tables/tables.hpp"

namespace stackx::resolver {

// Values of a bucket's variable that the rest cannot tell apart.
struct Option {
  Index any = 0, none = 0;  // own classes; equal where no support is needed
  bool needs = false;
  std::vector<std::int32_t> members;  // versions, newest first; -1: absent, or no component
};

template <typename Number>
class Circuit {
 public:
  struct Node;
  using NodeRef = boost::intrusive_ptr<Node>;

  struct Expansion {
    std::vector<Index> option;      // by alternative
    std::vector<Number> upto;       // by alternative: solutions of it and those before
    std::vector<NodeRef> children;  // messages() for each alternative
  };
  struct Node : boost::intrusive_ref_counter<Node, boost::thread_unsafe_counter> {
    Index bucket = 0;
    std::u32string state;
    Number count;
    std::unique_ptr<const Expansion> expansion;
  };
  // An expansion that the node keeps, or that lives as long as this.
  struct Open {
    NodeRef node;
    std::unique_ptr<const Expansion> own;
    const Expansion* get() const { return own ? own.get() : node->expansion.get(); }
    const Expansion* operator->() const { return get(); }
  };

  Circuit(const Network& network, const Plan& plan, const Tables<Number>& tables, std::size_t bytes,
          const Evidence& evidence = {})
      : plan_(plan), tables_(tables), bytes_left_(bytes) {
    for (const auto& bucket : plan.buckets) {
      const auto& variable = network.variables[bucket.variable];
      component_.push_back(variable.kind == Variable::Kind::component
                               ? static_cast<std::int32_t>(variable.index)
                               : -1);
      options_.push_back(
          options_of(bucket, variable, evidence.empty() ? Bits{} : evidence[bucket.variable]));
    }
    for (Index b = 0; b < plan.buckets.size(); ++b)
      if (plan.buckets[b].scope.empty()) roots_.push_back(node(b, {}, tables_.entry(b, {})));
  }

  const std::vector<NodeRef>& roots() const { return roots_; }
  std::size_t children(const Node& node) const {
    return plan_.buckets[node.bucket].messages.size();
  }
  // The component that a node decides, or -1.
  std::int32_t component(const Node& node) const { return component_[node.bucket]; }
  const std::vector<std::int32_t>& members(const Node& node, const Expansion& open,
                                           std::size_t alternative) const {
    return options_[node.bucket][open.option[alternative]].members;
  }

  Open open(const NodeRef& node) {
    if (node->expansion) return {node, nullptr};
    auto expansion = expand(*node);
    if (bytes_left_ == 0) return {node, std::move(expansion)};
    const std::size_t size = expansion->option.size() * (sizeof(Index) + sizeof(Number)) +
                             expansion->children.size() * sizeof(NodeRef);
    bytes_left_ -= std::min(bytes_left_, size);
    node->expansion = std::move(expansion);
    return {node, nullptr};
  }

 private:
  static std::vector<Option> options_of(const Bucket& bucket, const Variable& variable,
                                        const Bits& left) {
    std::vector<Option> options;
    std::size_t unsupported = variable.size();
    for (std::size_t v = 0; v < variable.size(); ++v) {
      const Index any = bucket.own_class_of[v];
      const bool needs = variable.needs[v];
      const Index none = needs ? bucket.own_class_of[unsupported++] : any;
      if (!left.empty() && !left[v]) continue;
      auto at = std::ranges::find_if(options, [&](const Option& option) {
        return option.any == any && option.none == none && option.needs == needs;
      });
      if (at == options.end() || variable.versions.empty() || variable.versions[v].empty() ||
          at->members.front() < 0)
        at = options.insert(options.end(), Option{any, none, needs, {}});
      if (variable.versions.empty() || variable.versions[v].empty())
        at->members.push_back(-1);
      else
        at->members.insert(at->members.end(), variable.versions[v].begin(),
                           variable.versions[v].end());
    }
    for (auto& option : options) std::ranges::sort(option.members, std::ranges::greater{});
    std::ranges::stable_sort(options, std::ranges::greater{},
                             [](const Option& option) { return option.members.front(); });
    return options;
  }

  NodeRef node(Index bucket, std::u32string state, const Number& count) {
    std::u32string key = state;
    key += static_cast<char32_t>(bucket);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    NodeRef made(new Node);
    made->bucket = bucket;
    made->state = std::move(state);
    made->count = count;
    if (bytes_left_ > 0) {
      constexpr std::size_t overhead = 96;  // about what the containers take beside the content
      bytes_left_ -= std::min(bytes_left_, sizeof(Node) + 8 * key.size() + overhead);
      known_.emplace(std::move(key), made);
    }
    return made;
  }

  bool is_pair(const Bucket& bucket, const std::u32string& state, std::size_t place) const {
    return state[place] >= bucket.classes[place];
  }
  Index any_of(const Bucket& bucket, const std::u32string& state, std::size_t place) const {
    const Index q = bucket.classes[place];
    return state[place] < q ? state[place] : (state[place] - q) / q;
  }
  Index none_of(const Bucket& bucket, const std::u32string& state, std::size_t place) const {
    const Index q = bucket.classes[place];
    return state[place] < q ? state[place] : (state[place] - q) % q;
  }

  // All minus none, for each pair.
  Number count(Index b, const std::u32string& state) const {
    const auto& bucket = plan_.buckets[b];
    std::vector<Index> joint(state.size());
    std::vector<std::size_t> pairs;
    for (std::size_t i = 0; i < state.size(); ++i)
      if (is_pair(bucket, state, i))
        pairs.push_back(i);
      else
        joint[i] = state[i];
    Number sum(0);
    for (std::size_t subset = 0; subset < std::size_t{1} << pairs.size(); ++subset) {
      for (std::size_t p = 0; p < pairs.size(); ++p)
        joint[pairs[p]] =
            subset >> p & 1 ? none_of(bucket, state, pairs[p]) : any_of(bucket, state, pairs[p]);
      if (std::popcount(subset) % 2 == 0)
        sum += tables_.entry(b, joint);
      else
        sum -= tables_.entry(b, joint);
    }
    return sum;
  }

  // Builds the alternatives of one node.
  class Expander {
   public:
    Expander(Circuit& circuit, const Node& node)
        : circuit_(circuit),
          node_(node),
          bucket_(circuit.plan_.buckets[node.bucket]),
          expansion_(new Expansion) {}

    std::unique_ptr<const Expansion> run() {
      const auto& options = circuit_.options_[node_.bucket];
      for (Index o = 0; o < options.size(); ++o) {
        option_ = &options[o];
        number_ = o;
        if (agrees_with_relations()) choose_supporters(0);
      }
      return std::move(expansion_);
    }

   private:
    // What must be supported by one of the messages; `first` is the one that does.
    struct Wanted {
      std::size_t place;  // in the scope, or own()
      std::size_t first;
    };

    bool allows(std::size_t place, Index theirs, Index own) const {
      return bucket_.allows[place][theirs][own / 64] >> (own % 64) & 1;
    }

    bool agrees_with_relations() {
      wanted_.clear();
      bool supported = !option_->needs;
      for (std::size_t place = 0; place < bucket_.scope.size(); ++place) {
        const Index any = circuit_.any_of(bucket_, node_.state, place);
        const bool pair = circuit_.is_pair(bucket_, node_.state, place);
        if (bucket_.allows[place].empty()) {
          if (pair) wanted_.push_back({place, 0});
          continue;
        }
        if (!allows(place, any, option_->any)) return false;
        if (pair && allows(place, circuit_.none_of(bucket_, node_.state, place), option_->any))
          wanted_.push_back({place, 0});
        if (!supported && !allows(place, any, option_->none)) supported = true;
      }
      if (!supported) wanted_.push_back({bucket_.own(), 0});
      return true;
    }

    void choose_supporters(std::size_t w) {
      if (w == wanted_.size()) {
        add();
        return;
      }
      for (std::size_t m = 0; m < bucket_.messages.size(); ++m) {
        if (!may_support(bucket_.messages[m], wanted_[w].place)) continue;
        wanted_[w].first = m;
        choose_supporters(w + 1);
      }
    }

    std::pair<Index, Index> any_none(std::size_t place) const {
      if (place == bucket_.own()) return {option_->any, option_->none};
      return {circuit_.any_of(bucket_, node_.state, place),
              circuit_.none_of(bucket_, node_.state, place)};
    }

    bool may_support(const Message& message, std::size_t place) const {
      const auto at = std::ranges::find(message.position, place);
      if (at == message.position.end()) return false;
      const auto& classes =
          message.class_of[static_cast<std::size_t>(at - message.position.begin())];
      const auto [any, none] = any_none(place);
      return classes[any] != classes[none];
    }

    std::u32string child_state(std::size_t m) const {
      const auto& message = bucket_.messages[m];
      const auto& made = circuit_.plan_.buckets[message.bucket];
      std::u32string state;
      for (std::size_t i = 0; i < message.position.size(); ++i) {
        const auto [any, none] = any_none(message.position[i]);
        const Index a = message.class_of[i][any], n = message.class_of[i][none];
        const auto wanted = std::ranges::find(wanted_, message.position[i], &Wanted::place);
        Index one = a;
        if (wanted != wanted_.end() && m < wanted->first) one = n;
        if (wanted != wanted_.end() && m == wanted->first)
          one = made.classes[i] + a * made.classes[i] + n;
        state += static_cast<char32_t>(one);
      }
      return state;
    }

    void add() {
      Number weight(static_cast<std::int64_t>(option_->members.size()));
      std::vector<std::pair<std::u32string, Number>> children;
      for (std::size_t m = 0; m < bucket_.messages.size(); ++m) {
        auto state = child_state(m);
        auto count = circuit_.count(bucket_.messages[m].bucket, state);
        if (is_zero(count)) return;
        weight *= count;
        children.emplace_back(std::move(state), std::move(count));
      }
      if (!expansion_->upto.empty()) weight += expansion_->upto.back();
      expansion_->option.push_back(number_);
      expansion_->upto.push_back(std::move(weight));
      for (std::size_t m = 0; m < children.size(); ++m)
        expansion_->children.push_back(circuit_.node(
            bucket_.messages[m].bucket, std::move(children[m].first), children[m].second));
    }

    Circuit& circuit_;
    const Node& node_;
    const Bucket& bucket_;
    std::unique_ptr<Expansion> expansion_;
    const Option* option_ = nullptr;
    Index number_ = 0;
    std::vector<Wanted> wanted_;
  };

  std::unique_ptr<const Expansion> expand(const Node& node) { return Expander(*this, node).run(); }

  const Plan& plan_;
  const Tables<Number>& tables_;
  std::size_t bytes_left_;
  std::vector<std::int32_t> component_;       // by bucket
  std::vector<std::vector<Option>> options_;  // by bucket
  std::unordered_map<std::u32string, NodeRef> known_;
  std::vector<NodeRef> roots_;
};

}  // namespace stackx::resolver
