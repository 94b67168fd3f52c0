#include "advisor/check/judge.hpp"

#include <algorithm>

#include "advisor/check/world/python_world.hpp"

namespace stackx::advisor {
namespace {

using specs::Catalog;
using specs::Project;
using specs::Requirement;
using specs::Score;
using specs::Stack;

// On the GPU, its driver, whether it can be used at all, and the CUDA that another package is built for.
bool of_gpu(const Requirement& requirement) {
  return requirement.component == "gpu" || requirement.component == "driver" || requirement.component == "use" ||
         requirement.attribute == "cuda";
}

// What an installer sees: none of that.
void forget_gpu(Project& project, Catalog& catalog) {
  std::erase_if(project.requires_, of_gpu);
  project.hardware.erase("gpu");
  project.hardware.erase("driver");
  project.hardware.erase("use");
  for (auto& [name, component] : catalog.components)
    for (auto& entry : component.versions) {
      std::erase_if(entry.requires_, of_gpu);
      std::erase_if(entry.requires_if, [](const auto& conditional) { return std::ranges::any_of(conditional.then, of_gpu); });
    }
}

// The sum of scores decides by the earliest component that differs.
specs::Scores scores_of(const std::vector<const specs::Component*>& some) {
  specs::Scores scores;
  Score weight = 1;
  for (auto component = some.rbegin(); component != some.rend(); ++component) {
    Score rank = 0;
    std::vector<const specs::VersionEntry*> entries;
    for (const auto& entry : (*component)->versions) entries.push_back(&entry);
    std::ranges::stable_sort(entries, [](const auto* a, const auto* b) { return a->version < b->version; });
    for (const auto* entry : entries) scores.of[(*component)->name][entry->version.text()] = ++rank * weight;
    weight *= rank + 1;
  }
  return scores;
}

constexpr Score heaviest = Score(1) << 100;

Requirement exactly(const std::string& component, const std::string& version) {
  const auto text = "===" + version;
  return {component, "", {{{*specs::SpecifierSet::parse(text, specs::Versioning::pep440), {}}}, text}};
}

}  // namespace

std::optional<Stack> newest_stack(const Project& project, const Catalog& catalog, const std::vector<std::string>& order) {
  Project asked = project;
  std::optional<Stack> best;
  std::size_t at = 0;
  do {  // as many components at once as sums of scores can tell apart
    std::vector<const specs::Component*> some;
    for (Score weight = 1; at < order.size() && weight < heaviest; ++at)
      if (const auto* component = catalog.find(order[at]); component && !component->versions.empty()) {
        weight *= static_cast<Score>(component->versions.size()) + 1;
        some.push_back(component);
      }
    best.reset();
    const resolver::Resolver resolver(asked, catalog);
    const auto scores = scores_of(some);
    resolver.best(scores, [&](const resolver::Choice& choice, Score) {
      best = resolver.stack(choice);
      return false;
    });
    if (!best) return best;
    for (const auto* component : some)
      if (const auto found = best->components.find(component->name); found != best->components.end())
        asked.pins.push_back(exactly(found->first, found->second));
  } while (at < order.size());
  return best;
}

std::set<std::string> possible_versions(const Project& project, const Catalog& catalog, const std::string& component) {
  const resolver::Resolver resolver(project, catalog);
  std::set<std::string> result;
  if (resolver.count() == 0) return result;
  const auto shares = resolver.shares();
  for (const auto& [version, number] : shares.at(component))
    if (number > 0) result.insert(version);
  return result;
}

Catalog only(const Catalog& catalog, const Stack& stack) {
  Catalog result = catalog;
  std::erase_if(result.components, [&](const auto& one) {
    return !stack.components.contains(one.first) && !is_given(one.first);
  });
  for (auto& [name, component] : result.components)
    if (const auto chosen = stack.components.find(name); chosen != stack.components.end() && !is_given(name))
      std::erase_if(component.versions, [&](const auto& entry) { return entry.version.text() != chosen->second; });
  return result;
}

namespace {

// What `versions` of a stack require, in the order of `order`, without what is decided.
std::vector<std::string> next_level(const Project& project, const Catalog& catalog, const Stack& stack,
                                    const std::vector<std::string>& order, const std::set<std::string>& decided) {
  std::set<std::string> required;
  const auto add = [&](const std::vector<Requirement>& requirements) {
    for (const auto& one : requirements) required.insert(one.component);
  };
  if (decided.empty()) add(project.requires_);
  for (const auto& name : decided)
    if (const auto found = stack.components.find(name); found != stack.components.end())
      if (const auto* entry = catalog.find(name)->find(found->second)) add(entry->requires_);
  std::vector<std::string> level;
  for (const auto& name : order)
    if (required.contains(name) && !decided.contains(name)) level.push_back(name);
  return level;
}

// Level by level: what is only needed by versions that are not taken has no say. What is decided is left with its one
// version: each level asks the resolver about less.
std::optional<Stack> installers_choice(const Project& project, Catalog left, const std::vector<std::string>& order) {
  std::set<std::string> decided;
  std::optional<Stack> stack = Stack{};
  while (stack) {
    const auto level = next_level(project, left, *stack, order, decided);
    if (level.empty()) break;
    stack = newest_stack(project, left, level);
    if (!stack) break;
    for (const auto& name : level) {
      decided.insert(name);
      if (const auto found = stack->components.find(name); found != stack->components.end())
        std::erase_if(left.components.at(name).versions,
                      [&](const auto& entry) { return entry.version.text() != found->second; });
    }
  }
  return stack && stack->components.empty() ? newest_stack(project, left, {}) : stack;
}

}  // namespace

Judged judge(const Case& one) {
  Judged judged;
  Project project = one.project;
  Catalog catalog = one.catalog;
  forget_gpu(project, catalog);
  if (auto chosen = installers_choice(project, catalog, one.order)) {
    judged.installable = true;
    judged.chosen = std::move(*chosen);
  } else {
    judged.why = resolver::Resolver(project, catalog).explain();
    return judged;
  }
  const auto narrow = only(one.catalog, judged.chosen);
  if (auto running = newest_stack(one.project, narrow, {"driver"})) {
    judged.runs = true;
    judged.running = std::move(*running);
  } else {
    judged.why = resolver::Resolver(one.project, narrow).explain();
  }
  return judged;
}

}  // namespace stackx::advisor
