#include "advisor/check/world/choice_order.hpp"

namespace stackx::advisor {
namespace {

std::set<std::string> reached_from(const specs::Catalog& catalog, const std::string& name) {
  std::set<std::string> reached;
  std::vector<std::string> waiting{name};
  while (!waiting.empty()) {
    const auto* from = catalog.find(waiting.back());
    waiting.pop_back();
    if (!from) continue;
    for (const auto& entry : from->versions)
      for (const auto& one : entry.requires_)
        if (!is_given(one.component) && reached.insert(one.component).second) waiting.push_back(one.component);
  }
  return reached;
}

}  // namespace

void requirers_first(PythonWorld& world, const std::set<std::string>& asked) {
  std::vector<std::string> names;
  std::map<std::string, std::size_t> place;
  for (const auto& name : world.order)
    if (asked.contains(name) && place.emplace(name, names.size()).second) names.push_back(name);
  std::vector<std::set<std::string>> reached;
  for (const auto& name : names) reached.push_back(reached_from(world.catalog, name));
  std::vector<std::vector<std::size_t>> after(names.size());
  std::vector<std::size_t> before(names.size());  // how many of those that must come first are left
  for (std::size_t i = 0; i < names.size(); ++i)
    for (const auto& name : reached[i])
      if (const auto found = place.find(name); found != place.end() && !reached[found->second].contains(names[i])) {
        after[i].push_back(found->second);
        ++before[found->second];
      }
  std::set<std::size_t> free;  // of these the one that was named first is next
  for (std::size_t i = 0; i < names.size(); ++i)
    if (before[i] == 0) free.insert(i);
  std::vector<std::string> sorted;
  while (!free.empty()) {
    const auto first = *free.begin();
    free.erase(free.begin());
    sorted.push_back(names[first]);
    for (const auto one : after[first])
      if (--before[one] == 0) free.insert(one);
  }
  auto next = sorted.begin();
  for (auto& name : world.order)
    if (asked.contains(name)) name = *next++;
}

}  // namespace stackx::advisor
