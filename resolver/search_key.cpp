// What may still become of a partial stack, and the key of the subproblem that is left.
#include <algorithm>

#include "resolver/search.hpp"

namespace stackx::resolver {
namespace {

void append(std::string& bytes, Word word) {
  bytes.append(reinterpret_cast<const char*>(&word), sizeof word);
}

}  // namespace

// Holders of the slot may still be selected, unless somebody holds it.
void Search::extend(std::uint32_t slot) {
  if (row_[held_ + slot / 64] >> (slot % 64) & 1) return;
  for (const auto& holder : model_.slots[slot].holders) {
    if (selected_[holder.component] >= 0 || in_future(holder.component)) continue;
    future_[holder.component / 64] |= Word{1} << (holder.component % 64);
    frontier_.push_back(holder.component);
  }
}

void Search::close_future() {
  while (!frontier_.empty()) {
    const auto component = frontier_.back();
    frontier_.pop_back();
    for (const auto slot : model_.components[component].demands) extend(slot);
  }
}

// Every part that is still open has a candidate among the components that may be selected.
bool Search::may_come_true(const Condition& condition) const {
  return std::ranges::all_of(condition.if_, [&](const Literal& literal) {
    if (const Truth now = truth(literal); now != Truth::open) return now == Truth::yes;
    const auto& holders = model_.slots[literal.slot].holders;
    for (std::size_t h = 0; h < holders.size(); ++h) {
      if (selected_[holders[h].component] >= 0 || !in_future(holders[h].component)) continue;
      const auto& component = model_.components[holders[h].component];
      for (std::uint32_t w = 0; w < component.words; ++w)
        if (row_[component.first_word + w] & model_.sets[literal.sets[h] + w]) return true;
    }
    return false;
  });
}

// Conditions may come true through components that are selected only because they do: the largest
// set of conditions that is possible together with the components it leads to.
void Search::find_future() {
  live_.clear();
  for (const auto id : pending_)
    if (states_[id] == State::pending) live_.push_back(id);
  for (bool changed = true; changed;) {
    std::ranges::fill(future_, 0);
    for (std::size_t w = 0; w < slot_words(); ++w)
      for (Word open = row_[demanded_ + w] & ~row_[held_ + w]; open; open &= open - 1)
        extend(static_cast<std::uint32_t>(w * 64) +
               static_cast<std::uint32_t>(std::countr_zero(open)));
    for (const auto id : live_)
      for (const auto slot : model_.conditions[id].demands) extend(slot);
    close_future();
    changed = std::erase_if(live_, [&](std::uint32_t id) {
                return !may_come_true(model_.conditions[id]);
              }) > 0;
  }
}

bool Search::blocked(const Condition& condition) const {
  return std::ranges::any_of(condition.effects, [&](const Effect& effect) {
    return selected_[effect.component] >= 0 && !allows(effect);
  });
}

// How far the condition is decided, if it is at all and may come true.
void Search::condition_key(std::uint32_t id, std::string& bytes) const {
  const auto& condition = model_.conditions[id];
  const bool possible = may_come_true(condition);
  std::string open;
  for (const auto& literal : condition.if_) open += truth(literal) == Truth::open ? '?' : '+';
  const bool stopped = possible && blocked(condition);
  if (possible && !stopped && states_[id] == State::idle && open.find('+') == std::string::npos)
    return;
  append(bytes, id);
  bytes += static_cast<char>(states_[id]);
  bytes += possible ? (stopped ? 'b' : 'p') : 'n';
  if (possible) bytes += open;
}

void Search::key(std::string& bytes) {
  bytes.clear();
  find_future();
  for (const auto word : future_) append(bytes, word);

  // Slots that what may follow demands: is somebody holding them already?
  std::ranges::fill(slots_of_future_, 0);
  const auto mind = [&](std::uint32_t slot) {
    slots_of_future_[slot / 64] |= Word{1} << (slot % 64);
  };
  for (std::uint32_t s = 0; s < model_.slots.size(); ++s)
    if (model_.slots[s].must_be_held) mind(s);
  for (const auto id : live_)
    for (const auto slot : model_.conditions[id].demands) mind(slot);
  for (std::uint32_t c = 0; c < model_.components.size(); ++c) {
    if (!in_future(c)) continue;
    const auto& component = model_.components[c];
    for (const auto slot : component.demands) mind(slot);
    for (std::uint32_t w = 0; w < component.words; ++w)
      append(bytes, row_[component.first_word + w]);
  }
  for (std::size_t w = 0; w < slot_words(); ++w) {
    append(bytes, row_[demanded_ + w] & ~row_[held_ + w]);
    append(bytes, row_[held_ + w] & slots_of_future_[w]);
  }

  // Conditions of selected versions in the order of their numbers, then those of versions to come.
  frontier_.clear();
  for (const auto id : pending_)
    if (states_[id] == State::assumed ||
        (states_[id] != State::done && may_come_true(model_.conditions[id])))
      frontier_.push_back(id);
  std::ranges::sort(frontier_);
  for (const auto id : frontier_) condition_key(id, bytes);
  frontier_.clear();
  for (std::uint32_t c = 0; c < model_.components.size(); ++c)
    if (in_future(c))
      for (const auto id : model_.components[c].conditions) condition_key(id, bytes);
}

}  // namespace stackx::resolver
