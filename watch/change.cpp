#include "watch/change.hpp"

#include <fmt/format.h>

#include <set>

namespace stackx::watch {

std::vector<Change> changes(const specs::Stack& before, const specs::Stack& after) {
  std::set<std::string> names;
  for (const auto* stack : {&before, &after})
    for (const auto& [name, version] : stack->components) names.insert(name);
  const auto version = [](const specs::Stack& stack, const std::string& name) {
    const auto found = stack.components.find(name);
    return found == stack.components.end() ? std::string() : found->second;
  };
  std::vector<Change> result;
  for (const auto& name : names)
    if (Change one{name, version(before, name), version(after, name)}; one.before != one.after) result.push_back(std::move(one));
  return result;
}

std::string text(const Change& change) {
  if (change.before.empty()) return fmt::format("{} {} added", change.component, change.after);
  if (change.after.empty()) return fmt::format("without {} {}", change.component, change.before);
  return fmt::format("{} {} -> {}", change.component, change.before, change.after);
}

std::string text(const std::vector<Change>& changes) {
  constexpr std::size_t most = 4;
  std::string all;
  for (std::size_t i = 0; i < changes.size() && i < most; ++i) all += (i == 0 ? "" : i == 1 ? " with " : ", ") + text(changes[i]);
  if (changes.size() > most) all += fmt::format(" and {} more", changes.size() - most);
  return all;
}

}  // namespace stackx::watch
