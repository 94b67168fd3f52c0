#include "resolver/search.hpp"

#include <algorithm>

namespace stackx::resolver {

Search::Search(const Model& model)
    : model_(model),
      row_(model.start),
      demanded_(row_.size()),
      held_(demanded_ + slot_words()),
      selected_(model.components.size(), -1),
      holder_(model.slots.size()),
      states_(model.conditions.size(), State::idle),
      future_((model.components.size() + 63) / 64),
      slots_of_future_(slot_words()) {
  row_.resize(held_ + slot_words());
  for (const auto slot : model.roots) row_[demanded_ + slot / 64] |= Word{1} << (slot % 64);
}

void Search::set_word(std::size_t at, Word value) {
  if (row_[at] == value) return;
  trail_.push_back({at, row_[at]});
  row_[at] = value;
}

void Search::set_state(std::uint32_t condition, State state) {
  condition_trail_.push_back({condition, states_[condition]});
  states_[condition] = state;
}

void Search::undo(const Mark& mark) {
  for (; trail_.size() > mark.words; trail_.pop_back())
    row_[trail_.back().at] = trail_.back().value;
  for (; condition_trail_.size() > mark.conditions; condition_trail_.pop_back())
    states_[condition_trail_.back().condition] = condition_trail_.back().state;
  for (; order_.size() > mark.selections; order_.pop_back()) selected_[order_.back()] = -1;
  pending_.resize(mark.pending);
}

void Search::narrow(const Effect& effect) {
  const auto& component = model_.components[effect.component];
  for (std::uint32_t w = 0; w < component.words; ++w) {
    const auto at = component.first_word + w;
    set_word(at, row_[at] & model_.sets[effect.words + w]);
  }
}

bool Search::allows(const Effect& effect) const {
  const auto version = static_cast<std::uint32_t>(selected_[effect.component]);
  return model_.sets[effect.words + version / 64] >> (version % 64) & 1;
}

bool Search::select(std::uint32_t component, std::uint32_t version) {
  const auto& chosen = model_.components[component].versions[version];
  selected_[component] = static_cast<std::int32_t>(version);
  order_.push_back(component);
  for (const auto slot : chosen.holds) {
    const auto& holders = model_.slots[slot].holders;
    const auto at = std::ranges::find(holders, component, &ModelHolder::component);
    holder_[slot] = static_cast<std::uint32_t>(at - holders.begin());
    set_word(held_ + slot / 64, row_[held_ + slot / 64] | Word{1} << (slot % 64));
  }
  for (const auto& effect : chosen.effects)
    if (selected_[effect.component] < 0) narrow(effect);  // else this version had been ruled out
  for (const auto slot : chosen.demands)
    set_word(demanded_ + slot / 64, row_[demanded_ + slot / 64] | Word{1} << (slot % 64));
  for (const auto condition : chosen.conditions) {
    pending_.push_back(condition);
    set_state(condition, State::pending);
  }
  return judge_pending();
}

bool Search::assume(std::uint32_t condition, bool holds) {
  set_state(condition, holds ? State::assumed : State::denied);
  return !holds || fire(model_.conditions[condition]);
}

// What a condition requires becomes demanded.
bool Search::fire(const Condition& condition) {
  for (const auto slot : condition.demands)
    set_word(demanded_ + slot / 64, row_[demanded_ + slot / 64] | Word{1} << (slot % 64));
  for (const auto& effect : condition.effects) {
    if (selected_[effect.component] < 0)
      narrow(effect);
    else if (!allows(effect))
      return false;
  }
  return true;
}

bool Search::judge_pending() {
  for (const auto id : pending_) {
    const State state = states_[id];
    if (state == State::done) continue;
    const Truth truth = this->truth(model_.conditions[id]);
    if (truth == Truth::open) continue;
    const bool holds = truth == Truth::yes;
    if (state == State::assumed && !holds) return false;
    if (state == State::denied && holds) return false;
    set_state(id, State::done);
    if (state == State::pending && holds && !fire(model_.conditions[id])) return false;
  }
  return true;
}

Search::Truth Search::truth(const Literal& literal) const {
  if (!(row_[held_ + literal.slot / 64] >> (literal.slot % 64) & 1)) return Truth::open;
  const auto holder = holder_[literal.slot];
  const Effect as_effect{model_.slots[literal.slot].holders[holder].component,
                         literal.sets[holder]};
  return allows(as_effect) ? Truth::yes : Truth::no;
}

Search::Truth Search::truth(const Condition& condition) const {
  Truth all = Truth::yes;
  for (const auto& literal : condition.if_) {
    const Truth one = truth(literal);
    if (one == Truth::no) return one;
    if (one == Truth::open) all = one;
  }
  return all;
}

Search::Step Search::next() {
  bool found = false;
  std::uint32_t first = 0;
  for (std::size_t w = 0; w < slot_words(); ++w) {
    for (Word open = row_[demanded_ + w] & ~row_[held_ + w]; open; open &= open - 1) {
      const auto slot =
          static_cast<std::uint32_t>(w * 64) + static_cast<std::uint32_t>(std::countr_zero(open));
      int count = 0;
      for (const auto& holder : model_.slots[slot].holders) {
        if (selected_[holder.component] >= 0) continue;
        const auto& component = model_.components[holder.component];
        for (std::uint32_t i = 0; i < component.words; ++i)
          count += std::popcount(row_[component.first_word + i] & model_.sets[holder.words + i]);
      }
      if (count == 0) return {Next::dead};
      if (count == 1) return {Next::slot, slot};
      if (!found) first = slot;
      found = true;
    }
  }
  if (found) return {Next::slot, first};

  if (!pending_.empty()) {
    find_future();
    if (!live_.empty()) return {Next::condition, *std::ranges::min_element(live_)};
    for (const auto id : pending_)
      if (states_[id] == State::assumed) return {Next::dead};
  }
  for (std::size_t s = 0; s < model_.slots.size(); ++s)
    if (model_.slots[s].must_be_held && !(row_[held_ + s / 64] >> (s % 64) & 1))
      return {Next::dead};
  return {Next::leaf};
}

}  // namespace stackx::resolver
