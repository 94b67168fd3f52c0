#include "advisor/check/nearest/candidates.hpp"

#include <algorithm>

#include "advisor/facts/frameworks.hpp"

namespace stackx::advisor {

bool Candidates::keeps(const std::string& name) const {
  return question_.keep.package == name || (!question_.keep.until.empty() && question_.keep.until != name && is_server(name));
}

std::vector<std::string> Candidates::names() const {
  std::vector<std::string> names;
  const auto add = [&](const std::string& component) {
    const auto name = component.substr(0, component.find('+'));
    if (std::ranges::find(names, name) != names.end()) return;
    if (instead_.is_asked(name) && !keeps(name) && knowledge_.package(name)) names.push_back(name);
  };
  if (judged_.why) {
    for (const auto& clause : judged_.why->clauses)
      if (!clause.component.empty()) add(clause.component);
    for (const auto& clause : judged_.why->clauses) add(clause.text.substr(0, clause.text.find(' ')));
  }
  if (names.empty())
    for (const auto& placed : question_.asked) add(knowledge_.real_name(placed.dependency.name));
  if (judged_.installable)  // the torch that does not run here is the one that vllm takes: another vllm brings another
    for (const auto& placed : question_.asked)
      if (const auto name = knowledge_.real_name(placed.dependency.name); is_server(name) && !followers(name).empty()) {
        add(name);
        std::ranges::stable_partition(names, [&](const auto& one) { return one == name; });
      }
  if (judged_.installable) framework_of_libraries(names);
  if (!judged_.installable)  // a framework is what the others were chosen for
    std::ranges::stable_partition(names, [](const auto& name) { return !is_framework(name); });
  if (names.size() > 3) names.resize(3);
  return names;
}

// A lock names the cuDNN that its torch pins: another torch brings another.
void Candidates::framework_of_libraries(std::vector<std::string>& names) const {
  if (std::ranges::any_of(names, [](const auto& one) { return is_framework(one) || is_server(one); })) return;
  for (const auto& placed : question_.asked) {
    const auto name = knowledge_.real_name(placed.dependency.name);
    if (!is_framework(name) || keeps(name)) continue;
    const auto brought = followers(name);
    if (std::ranges::all_of(names, [&](const auto& one) { return brought.contains(one); })) return void(names.insert(names.begin(), name));
  }
}

std::set<std::string> Candidates::followers(const std::string& name) const {
  std::set<std::string> result;
  std::vector<std::string> waiting{name};
  while (!waiting.empty()) {
    const auto of = waiting.back();
    waiting.pop_back();
    for (const auto& [component_name, component] : world_.catalog.components) {
      if (component_name != of && !component_name.starts_with(of + "+")) continue;
      for (const auto& entry : component.versions)
        for (const auto& requirement : entry.requires_) {
          const auto other = requirement.component.substr(0, requirement.component.find('+'));
          if (is_given(other) || other == name || !knowledge_.package(other)) continue;
          if (result.insert(other).second) waiting.push_back(other);
        }
    }
  }
  return result;
}

std::set<std::string> Candidates::changing_along(const std::string& name, Along along) const {
  std::set<std::string> free;
  for (const auto& other : instead_.asked()) {
    const bool pinned = along == Along::frameworks_it_pins && is_framework(other) && followers(name).contains(other);
    const bool pins = along == Along::what_pins_it && followers(other).contains(name);
    if (other != name && (pinned || pins)) free.insert(other);
  }
  return free;
}

}  // namespace stackx::advisor
