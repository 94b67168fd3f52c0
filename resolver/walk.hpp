// Walks all joint classes of a bucket's scope that leave some of its own classes possible, and knows
// at each depth where the bucket's messages are to be read.
#pragma once

#include <algorithm>
#include <bit>

#include "resolver/plan.hpp"

namespace stackx::resolver {

// Walks all joint classes of a bucket's scope that leave some own class possible.
template <typename Number>
class Walk {
 public:
  Walk(const Plan& plan, std::size_t b, const std::vector<std::vector<Number>>& tables)
      : bucket_(plan.buckets[b]), depths_(bucket_.scope.size() + 1) {
    steps_.resize(depths_);
    complete_.resize(depths_);
    for (std::size_t m = 0; m < bucket_.messages.size(); ++m) {
      add(m, plan.buckets[bucket_.messages[m].bucket]);
      sources_.push_back(tables[bucket_.messages[m].bucket].data());
    }
    masks_.assign(depths_ * bucket_.words, 0);
    for (Index t = 0; t < bucket_.own_classes; ++t) masks_[t / 64] |= Word{1} << (t % 64);
    indices_.assign(depths_ * bucket_.messages.size(), 0);
  }

 protected:
  struct Step {
    std::size_t message;
    std::vector<std::size_t> offset;  // by class
  };

  void add(std::size_t m, const Bucket& made) {
    const auto& message = bucket_.messages[m];
    std::size_t depth = 0;
    own_.emplace_back(bucket_.own_classes);
    for (std::size_t i = 0; i < message.position.size(); ++i) {
      const auto place = message.position[i];
      std::vector<std::size_t> offset;
      for (const auto k : message.class_of[i]) offset.push_back(std::size_t{k} * made.stride[i]);
      if (place == bucket_.own()) {
        own_[m] = offset;
      } else {
        steps_[place].push_back({m, std::move(offset)});
        depth = std::max<std::size_t>(depth, place + 1);
      }
    }
    complete_[depth].push_back(m);
  }

  // Own classes left at `depth` + 1 if the variable in place `depth` has class `k`; false if none.
  bool enter(std::size_t depth, std::size_t k) {
    const Word* from = &masks_[depth * bucket_.words];
    Word* to = &masks_[(depth + 1) * bucket_.words];
    const auto& allows = bucket_.allows[depth];
    Word any = 0;
    for (std::size_t w = 0; w < bucket_.words; ++w)
      any |= to[w] = allows.empty() ? from[w] : from[w] & allows[k][w];
    if (any == 0) return false;
    const std::size_t messages = bucket_.messages.size();
    std::copy_n(&indices_[depth * messages], messages, &indices_[(depth + 1) * messages]);
    for (const auto& step : steps_[depth])
      indices_[(depth + 1) * messages + step.message] += step.offset[k];
    return true;
  }

  template <typename Visit>
  void each_own(std::size_t depth, Visit visit) const {
    const Word* mask = &masks_[depth * bucket_.words];
    for (std::size_t w = 0; w < bucket_.words; ++w)
      for (Word left = mask[w]; left; left &= left - 1)
        visit(w * 64 + static_cast<std::size_t>(std::countr_zero(left)));
  }

  const Number& value(std::size_t depth, std::size_t m, std::size_t t) const {
    return sources_[m][indices_[depth * bucket_.messages.size() + m] + own_[m][t]];
  }

  const Bucket& bucket_;
  std::size_t depths_;
  std::vector<std::vector<Step>> steps_;            // by depth
  std::vector<std::vector<std::size_t>> complete_;  // by depth: messages known from there on
  std::vector<std::vector<std::size_t>> own_;       // by message: offset by own class
  std::vector<const Number*> sources_;
  std::vector<Word> masks_;
  std::vector<std::size_t> indices_;
};

}  // namespace stackx::resolver
