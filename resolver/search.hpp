// A partial stack and what can become of it: the state that every question is answered with.
//
// Selected are versions that something founded demands; unselected components have a set of
// candidates, all compatible with everything selected. next() says what to decide: a demanded slot
// that nobody holds yet (select each of its candidates in turn: the sets of stacks that follow are
// disjoint), or, when nothing is missing, a condition that could still come true only through its
// own consequences (assume it, then its opposite). A leaf is one stack. What next() says depends
// only on what key() writes.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "resolver/model.hpp"

namespace stackx::resolver {

class Search {
 public:
  enum class Next { dead, leaf, slot, condition };
  struct Step {
    Next next;
    std::uint32_t index = 0;  // of the slot or condition
  };
  struct Mark {
    std::size_t words, selections, conditions, pending;
  };

  explicit Search(const Model& model);

  Step next();

  // Calls `visit(component, version)` for every candidate of the slot until it returns false;
  // `visit` may change the state if it undoes what it did. False if stopped.
  template <typename Visit>
  bool candidates(std::uint32_t slot, Visit visit) const {
    for (const auto& holder : model_.slots[slot].holders) {
      if (selected_[holder.component] >= 0) continue;
      const auto& component = model_.components[holder.component];
      for (std::uint32_t w = 0; w < component.words; ++w) {
        Word word = row_[component.first_word + w] & model_.sets[holder.words + w];
        for (; word; word &= word - 1) {
          const auto version = w * 64 + static_cast<std::uint32_t>(std::countr_zero(word));
          if (!visit(holder.component, version)) return false;
        }
      }
    }
    return true;
  }

  // Both say false on a contradiction; the state then needs an undo.
  bool select(std::uint32_t component, std::uint32_t version);
  bool assume(std::uint32_t condition, bool holds);

  Mark mark() const {
    return {trail_.size(), order_.size(), condition_trail_.size(), pending_.size()};
  }
  void undo(const Mark& mark);

  // For each component the selected version, or -1.
  const std::vector<std::int32_t>& selected() const { return selected_; }

  // Everything that decides which completions there are: equal keys, equal completions in equal
  // order.
  void key(std::string& bytes);

 private:
  enum class State : std::uint8_t { idle, pending, assumed, denied, done };
  enum class Truth { no, yes, open };

  void set_word(std::size_t at, Word value);
  void set_state(std::uint32_t condition, State state);
  void narrow(const Effect& effect);
  bool fire(const Condition& condition);
  bool judge_pending();
  Truth truth(const Literal& literal) const;
  Truth truth(const Condition& condition) const;
  bool allows(const Effect& effect) const;  // the selected version is in the set
  bool blocked(const Condition& condition) const;
  void extend(std::uint32_t slot);
  void close_future();
  bool may_come_true(const Condition& condition) const;
  void find_future();
  void condition_key(std::uint32_t id, std::string& bytes) const;

  bool in_future(std::uint32_t component) const {
    return future_[component / 64] >> (component % 64) & 1;
  }
  std::size_t slot_words() const { return (model_.slots.size() + 63) / 64; }

  const Model& model_;
  // Candidates by component, then slots demanded, then slots held.
  std::vector<Word> row_;
  std::size_t demanded_, held_;  // where in row_
  std::vector<std::int32_t> selected_;
  std::vector<std::uint32_t> holder_;   // by slot, where held: which of its holders
  std::vector<State> states_;           // by condition
  std::vector<std::uint32_t> pending_;  // conditions of selected versions

  struct WordBefore {
    std::size_t at;
    Word value;
  };
  struct StateBefore {
    std::uint32_t condition;
    State state;
  };
  std::vector<WordBefore> trail_;
  std::vector<StateBefore> condition_trail_;
  std::vector<std::uint32_t> order_;

  // Scratch: the components that may still be selected, and the conditions that may still come
  // true.
  std::vector<Word> future_;
  std::vector<std::uint32_t> frontier_, live_;
  std::vector<Word> slots_of_future_;
};

}  // namespace stackx::resolver
