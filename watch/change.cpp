#include "watch/change.hpp"

#include <fmt/format.h>

#include <algorithm>
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

namespace {

// The first, with the one whose place it takes; and all others.
struct Parted {
  std::string leading;
  std::vector<Change> others;
};

Parted parted(const std::vector<Change>& changes) {
  Parted result{{}, changes};
  auto& rest = result.others;
  if (rest.empty()) return result;
  const auto first = rest.front();
  rest.erase(rest.begin());
  const auto gone = std::ranges::find(rest, "", &Change::after);
  if (!first.before.empty() || gone == rest.end()) {
    result.leading = text(first);
    return result;
  }
  result.leading = fmt::format("{} {} instead of {} {}", first.component, first.after, gone->component, gone->before);
  rest.erase(gone);
  return result;
}

std::string listed_changes(const std::vector<Change>& changes) {
  constexpr std::size_t most = 3;
  std::string all;
  for (std::size_t i = 0; i < changes.size() && i < most; ++i) all += (i == 0 ? "" : ", ") + text(changes[i]);
  if (changes.size() > most) all += fmt::format(" and {} more", changes.size() - most);
  return all;
}

}  // namespace

std::string text(const std::vector<Change>& changes) {
  const auto [leading, others] = parted(changes);
  return leading + (others.empty() ? "" : " with " + listed_changes(others));
}

std::string short_text(const std::vector<Change>& changes) {
  if (changes.empty()) return "";
  const auto& first = changes.front();
  const auto others = parted(changes).others.size();
  const auto leading = first.before.empty() ? fmt::format("{} {}", first.component, first.after) : text(first);
  return leading + (others == 0 ? "" : fmt::format(" (+{})", others));
}

std::string company_of(const std::vector<Change>& changes) { return listed_changes(parted(changes).others); }

}  // namespace stackx::watch
