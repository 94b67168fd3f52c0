#include "blame/between/rules.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stackx::blame {
namespace {

// On the first, and the first in another state.
Rule rule_of(const std::vector<State>& together, const std::string& why) {
  const auto& first = together.front();
  return {first.change, std::ranges::find(together, !first.is_new, &State::is_new)->change, first.is_new, why};
}

void add_rule(std::vector<Rule>& rules, const Rule& rule) {
  const bool known = std::ranges::any_of(rules, [&](const Rule& other) {
    return other.change == rule.change && other.required == rule.required && other.is_new == rule.is_new && other.why == rule.why;
  });
  if (!known) rules.push_back(rule);
}

}  // namespace

bool Rules::forbid(const std::vector<State>& together, const std::string& why) {
  for (const auto& one : together)
    if (std::ranges::find(together, State{one.change, !one.is_new}) != together.end()) return true;  // never together
  if (together.empty() || std::ranges::all_of(together, [&](const State& one) { return one.is_new == together.front().is_new; })) {
    const auto broken = together.empty() ? fmt::format("{} and {} break", ends_[0], ends_[1])
                                         : fmt::format("{} breaks", ends_[together.front().is_new]);
    note(fmt::format("{}: {}; nothing is held to it", broken, why));
    if (std::ranges::find(broken_, why) == broken_.end()) broken_.push_back(why);
    return false;
  }
  if (together.size() > 2)
    larger_.push_back({together, why});
  else
    add_rule(rules_, rule_of(together, why));
  return true;
}

std::vector<Rule> Rules::all() const {
  auto result = rules_;
  const auto excludes = [](const Rule& rule, const std::vector<State>& together) {
    return std::ranges::find(together, State{rule.change, rule.is_new}) != together.end() &&
           std::ranges::find(together, State{rule.required, !rule.is_new}) != together.end();
  };
  for (const auto& [together, why] : larger_)
    if (std::ranges::none_of(result, [&](const Rule& rule) { return excludes(rule, together); }))
      add_rule(result, rule_of(together, why));
  return result;
}

void Rules::note(const std::string& text) {
  if (std::ranges::find(notes_, text) == notes_.end()) notes_.push_back(text);
}

}  // namespace stackx::blame
