// Walks all joint classes of a bucket's scope that its relations allow and that leave some of its
// own classes possible; knows at each depth (how many places of the scope are decided) which
// messages can be read, and where.
#pragma once

#include <algorithm>
#include <bit>

#include "resolver/tables/table.hpp"

namespace stackx::resolver {

template <typename Number>
class Walk {
 public:
  Walk(const Plan& plan, std::size_t b, const std::vector<Table<Number>>& tables)
      : bucket_(plan.buckets[b]), depths_(bucket_.scope.size() + 1), complete_(depths_) {
    steps_.resize(depths_);
    at_.resize(bucket_.scope.size());
    for (std::size_t m = 0; m < bucket_.messages.size(); ++m) {
      const auto& message = bucket_.messages[m];
      add(message, plan.buckets[message.bucket], tables[message.bucket]);
    }
    add_own_table();
    forbid();
    masks_.assign(depths_ * bucket_.words, 0);
    for (Index t = 0; t < bucket_.own_classes; ++t) masks_[t / 64] |= Word{1} << (t % 64);
    places_.assign(depths_ * slots_, 0);
    for (const auto classes : bucket_.classes) allowed_.emplace_back((classes + 63) / 64);
  }

 protected:
  // Where a table is read, as far as that is decided: in each of its groups.
  struct Source {
    const Table<Number>* table = nullptr;
    const Bucket* made = nullptr;
    std::size_t slot = 0;             // of its first group in places_
    std::size_t own_group = 0;        // that the variable eliminated here belongs to
    std::vector<std::size_t> own;     // by own class: offset there
    std::vector<std::size_t> weight;  // by group
  };
  // One of them for fixed classes of the scope.
  struct Row {
    const Table<Number>* table;
    std::size_t place;  // decided by other groups
    const Index* rank;
    const std::size_t* own;
    std::size_t weight;
    // The entry by own class, or none.
    std::size_t find(std::size_t t) const { return table->find(place + rank[own[t]] * weight); }
    const Number& operator[](std::size_t entry) const { return (*table)[entry]; }
  };

  std::size_t depths() const { return depths_; }

  // Calls `visit` for each class of the place `depth` that may be, with everything below decided.
  template <typename Visit>
  void each_class(std::size_t depth, Visit visit) {
    auto& allowed = allowed_[depth];
    std::ranges::fill(allowed, ~Word{0});
    if (const auto rest = bucket_.classes[depth] % 64) allowed.back() = (Word{1} << rest) - 1;
    for (const auto& agreement : agreements_[depth]) {
      const auto& theirs = agreement.allowed[at_[agreement.earlier]];
      for (std::size_t w = 0; w < allowed.size(); ++w) allowed[w] &= theirs[w];
    }
    for (std::size_t w = 0; w < allowed.size(); ++w)
      for (Word left = allowed[w]; left; left &= left - 1) {
        const auto k = w * 64 + static_cast<std::size_t>(std::countr_zero(left));
        if (enter(depth, k)) visit();
      }
  }

  template <typename Visit>
  void each_own(std::size_t depth, Visit visit) const {
    const Word* mask = masks_.data() + depth * bucket_.words;
    for (std::size_t w = 0; w < bucket_.words; ++w)
      for (Word left = mask[w]; left; left &= left - 1)
        visit(w * 64 + static_cast<std::size_t>(std::countr_zero(left)));
  }
  Word* mask(std::size_t depth) { return masks_.data() + depth * bucket_.words; }

  // Messages that can be read from this depth on.
  const std::vector<std::size_t>& complete(std::size_t depth) const { return complete_[depth]; }
  Row row(std::size_t depth, std::size_t m) const {
    const auto& source = sources_[m];
    const std::size_t* places = places_.data() + depth * slots_ + source.slot;
    std::size_t place = 0;
    for (std::size_t g = 0; g < source.made->groups.size(); ++g)
      if (g != source.own_group) place += source.made->groups[g].rank[places[g]] * source.weight[g];
    return {source.table, place,
            source.made->groups[source.own_group].rank.data() + places[source.own_group],
            source.own.data(), source.weight[source.own_group]};
  }

  // The classes of the scope, at the last depth.
  const std::vector<Index>& joint() const { return at_; }
  // The place in the bucket's own table, at the last depth; ascending as the walk goes.
  std::size_t place() const {
    const std::size_t* places = places_.data() + (depths_ - 1) * slots_ + own_slot_;
    std::size_t place = 0;
    for (std::size_t g = 0; g < bucket_.groups.size(); ++g)
      place = place * bucket_.groups[g].count + bucket_.groups[g].rank[places[g]];
    return place;
  }

  const Bucket& bucket_;

 private:
  static constexpr std::size_t few = 64;  // joint classes are walked as they are

  struct Step {
    std::size_t slot;
    std::vector<std::size_t> offset;  // by class
  };

  void add(const Message& message, const Bucket& made, const Table<Number>& table) {
    Source source{&table, &made, slots_, 0, {}, {}};
    std::size_t depth = 0;
    for (std::size_t i = 0; i < message.position.size(); ++i) {
      std::vector<std::size_t> offset;
      for (const auto k : message.class_of[i]) offset.push_back(std::size_t{k} * made.stride[i]);
      const auto place = message.position[i];
      if (place == bucket_.own()) {
        source.own = std::move(offset);
        source.own_group = made.group[i];
      } else {
        steps_[place].push_back({slots_ + made.group[i], std::move(offset)});
        depth = std::max<std::size_t>(depth, place + 1);
      }
    }
    source.weight.assign(made.groups.size(), 1);
    for (std::size_t g = made.groups.size(); g-- > 1;)
      source.weight[g - 1] = source.weight[g] * made.groups[g].count;
    complete_[depth].push_back(sources_.size());
    slots_ += made.groups.size();
    sources_.push_back(std::move(source));
  }

  void add_own_table() {
    own_slot_ = slots_;
    for (std::size_t i = 0; i < bucket_.scope.size(); ++i) {
      std::vector<std::size_t> offset;
      for (Index k = 0; k < bucket_.classes[i]; ++k)
        offset.push_back(std::size_t{k} * bucket_.stride[i]);
      steps_[i].push_back({slots_ + bucket_.group[i], std::move(offset)});
    }
    slots_ += bucket_.groups.size();
  }

  // What relations forbid two variables, and what no entry of a message holds: most contradictions
  // show long before the messages can be read.
  void forbid() {
    agreements_ = bucket_.agreements;
    allows_ = bucket_.allows;
    if (bucket_.places < few) return;
    for (std::size_t m = 0; m < sources_.size(); ++m) {
      const auto& message = bucket_.messages[m];
      const auto& pairs = sources_[m].table->pairs();
      if (!pairs.known()) continue;
      for (std::size_t j = 0; j < message.position.size(); ++j)
        for (std::size_t i = 0; i < j; ++i) forbid(message, pairs, i, j);
    }
  }

  void forbid(const Message& message, const Pairs& pairs, std::size_t i, std::size_t j) {
    const auto has = [&](Index k, Index l) {
      return pairs.has(i, message.class_of[i][k], j, message.class_of[j][l]);
    };
    const Index a = message.position[i], b = message.position[j];
    const Index early = std::min(a, b), late = std::max(a, b);
    const auto late_classes = late == bucket_.own() ? bucket_.own_classes : bucket_.classes[late];
    std::vector<Mask> allowed(bucket_.classes[early], Mask((late_classes + 63) / 64));
    bool all = true;
    for (Index k = 0; k < allowed.size(); ++k)
      for (Index l = 0; l < late_classes; ++l)
        if (a < b ? has(k, l) : has(l, k))
          allowed[k][l / 64] |= Word{1} << (l % 64);
        else
          all = false;
    if (all) return;
    if (late != bucket_.own())
      agreements_[late].push_back({early, std::move(allowed)});
    else if (allows_[early].empty())
      allows_[early] = std::move(allowed);
    else
      for (Index k = 0; k < allowed.size(); ++k)
        for (std::size_t w = 0; w < allowed[k].size(); ++w) allows_[early][k][w] &= allowed[k][w];
  }

  // False if no own class is left.
  bool enter(std::size_t depth, std::size_t k) {
    const Word* from = mask(depth);
    Word* to = mask(depth + 1);
    const auto& allows = allows_[depth];
    Word any = 0;
    for (std::size_t w = 0; w < bucket_.words; ++w)
      any |= to[w] = allows.empty() ? from[w] : from[w] & allows[k][w];
    if (any == 0) return false;
    at_[depth] = static_cast<Index>(k);
    std::size_t* places = places_.data() + (depth + 1) * slots_;
    std::copy_n(places_.data() + depth * slots_, slots_, places);
    for (const auto& step : steps_[depth]) places[step.slot] += step.offset[k];
    return true;
  }

  std::size_t depths_;
  std::vector<std::vector<Bucket::Agreement>> agreements_;  // the bucket's, and those of messages
  std::vector<std::vector<Mask>> allows_;
  std::vector<std::vector<Step>> steps_;            // by depth
  std::vector<std::vector<std::size_t>> complete_;  // by depth
  std::vector<Source> sources_;                     // by message
  std::size_t slots_ = 0, own_slot_ = 0;
  std::vector<Word> masks_;          // by depth: own classes left
  std::vector<std::size_t> places_;  // by depth and slot
  std::vector<Index> at_;            // by place: the class decided
  std::vector<Mask> allowed_;        // by place: classes that may be
};

}  // namespace stackx::resolver
