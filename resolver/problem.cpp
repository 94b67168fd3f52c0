#include "resolver/problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "resolver/meaning.hpp"
#include "specs/error.hpp"

namespace stackx::resolver {
namespace {

using specs::Requirement;

std::string joined(const std::vector<Requirement>& requirements) {
  std::vector<std::string> texts;
  for (const auto& requirement : requirements) texts.push_back(requirement.text());
  return fmt::format("{}", fmt::join(texts, ", "));
}

// Ascending; as listed where the scheme has no order.
std::vector<const specs::VersionEntry*> in_order(const specs::Component& component) {
  std::vector<const specs::VersionEntry*> entries;
  for (const auto& entry : component.versions) entries.push_back(&entry);
  std::ranges::stable_sort(entries,
                           [](const auto* a, const auto* b) { return a->version < b->version; });
  return entries;
}

class Compiler {
 public:
  Compiler(const specs::Project& project, const specs::Catalog& catalog, const std::set<std::string>& with_left_out)
      : project_(project), catalog_(catalog), with_left_out_(with_left_out) {}

  Problem run() {
    for (const auto& [name, component] : catalog_.components)
      for (const auto& entry : component.versions)
        for (const auto& [provided, version] : entry.provides) providers_[provided].insert(name);
    find_components();
    find_named();
    find_slots();
    add_project_clauses();
    for (std::size_t c = 0; c < problem_.components.size(); ++c) add_component_clauses(c);
    return std::move(problem_);
  }

 private:
  // The component of this name and those that may provide it.
  std::vector<std::string> holder_names(const std::string& name) const {
    std::vector<std::string> names;
    if (catalog_.find(name)) names.push_back(name);
    if (const auto found = providers_.find(name); found != providers_.end())
      for (const auto& provider : found->second)
        if (provider != name) names.push_back(provider);
    return names;
  }

  void find_components() {
    std::set<std::string> reached;
    std::vector<std::string> waiting;
    const auto reach = [&](const std::string& name) {
      for (auto& holder : holder_names(name))
        if (reached.insert(holder).second) waiting.push_back(std::move(holder));
    };
    for (const auto& [name, version] : project_.hardware) reach(name);
    for (const auto& requirement : project_.requires_) reach(requirement.component);
    while (!waiting.empty()) {
      const std::string name = std::move(waiting.back());
      waiting.pop_back();
      for (const auto& entry : catalog_.find(name)->versions) {
        for (const auto& requirement : entry.requires_) reach(requirement.component);
        for (const auto& conditional : entry.requires_if)
          for (const auto& requirement : conditional.then) reach(requirement.component);
      }
    }
    for (const auto& name : reached) {
      component_index_[name] = problem_.components.size();
      ComponentVersions component{name, {}};
      entries_.push_back(in_order(*catalog_.find(name)));
      if (with_left_out_.contains(name)) add_left_out(*catalog_.find(name), entries_.back());
      for (const auto* entry : entries_.back()) component.versions.push_back(entry->version.text());
      problem_.components.push_back(std::move(component));
    }
  }

  void add_left_out(const specs::Component& component, std::vector<const specs::VersionEntry*>& entries) {
    for (const auto& group : component.left_out)
      for (const auto& version : group.versions) {
        entries.push_back(&left_out_.emplace_back());
        left_out_.back().version = version;
        left_out_entries_.insert(&left_out_.back());
      }
    std::ranges::stable_sort(entries, [](const auto* a, const auto* b) { return a->version < b->version; });
  }

  // A pin that names a version is a constraint of the user's: it may come as any other then.
  void find_named() {
    bool some = false;
    for (const auto& component : problem_.components) {
      const auto& entries = entries_[problem_.by_name.size()];
      VersionSet named(entries.size());
      for (std::size_t v = 0; v < entries.size(); ++v)
        named[v] = entries[v]->by_name != specs::ByName::no &&
                   std::ranges::none_of(project_.pins, [&](const Requirement& pin) {
                     return brings(*catalog_.find(component.name), *entries[v], pin, false);
                   });
      some = some || named.any();
      problem_.by_name.push_back(std::move(named));
    }
    if (!some) problem_.by_name.clear();
  }

  void find_slots() {
    for (const auto& component : problem_.components) {
      slot(component.name);
      for (const auto& entry : catalog_.find(component.name)->versions)
        for (const auto& [provided, version] : entry.provides) slot(provided);
    }
  }

  std::size_t slot(const std::string& name) {
    const auto [at, is_new] = slot_index_.try_emplace(name, problem_.slots.size());
    if (!is_new) return at->second;
    Slot slot{name, {}};
    for (const auto& holder_name : holder_names(name)) {
      const auto index = component_index_.find(holder_name);
      if (index == component_index_.end()) continue;
      const auto& component = *catalog_.find(holder_name);
      const auto& entries = entries_[index->second];
      Holder holder{index->second, VersionSet(entries.size())};
      for (std::size_t v = 0; v < entries.size(); ++v)
        holder.versions[v] = held_version(component, *entries[v], name) != nullptr;
      slot.holders.push_back(std::move(holder));
    }
    problem_.slots.push_back(std::move(slot));
    return at->second;
  }

  // The same text means the same everywhere: catalogs repeat few requirements many times.
  const Need& need(const Requirement& requirement) {
    const auto [at, is_new] = needs_.try_emplace(
        std::tuple(requirement.component, requirement.attribute, requirement.constraint.text));
    if (!is_new) return at->second;
    Need& need = at->second;
    need.slot = slot(requirement.component);
    for (const auto& holder : problem_.slots[need.slot].holders) {
      const auto& component = *catalog_.find(problem_.components[holder.component].name);
      const auto& entries = entries_[holder.component];
      VersionSet satisfied(entries.size());
      for (std::size_t v = 0; v < entries.size(); ++v)
        satisfied[v] = meets(component, *entries[v], requirement);
      need.satisfied.push_back(std::move(satisfied));
    }
    find_brought(need, requirement);
    return need;
  }

  void find_brought(Need& need, const Requirement& requirement) {
    if (problem_.by_name.empty()) return;
    const auto& holders = problem_.slots[need.slot].holders;
    for (std::size_t h = 0; h < holders.size(); ++h) {
      const auto& named = problem_.by_name[holders[h].component];
      const bool alone = is_alone(need.satisfied[h] - named, holders[h].component);
      auto& brought = need.brought.emplace_back(holders[h].versions);
      const auto& component = *catalog_.find(problem_.components[holders[h].component].name);
      for (auto v = named.find_first(); v != VersionSet::npos; v = named.find_next(v))
        brought[v] = brought[v] && brings(component, *entries_[holders[h].component][v], requirement, alone);
    }
  }

  // None of these need not be named: what was left out changes nothing.
  bool is_alone(const VersionSet& versions, std::size_t component) const {
    for (auto v = versions.find_first(); v != VersionSet::npos; v = versions.find_next(v))
      if (!is_left_out(*entries_[component][v])) return false;
    return true;
  }
  bool is_left_out(const specs::VersionEntry& entry) const {
    return left_out_entries_.contains(&entry);
  }

  std::vector<Need> needs(const std::vector<Requirement>& requirements) {
    std::vector<Need> result;
    for (const auto& requirement : requirements) result.push_back(need(requirement));
    return result;
  }

  void add_project_clauses() {
    for (const auto& [name, version] : project_.hardware) {
      const auto& entry = hardware_entry(project_, catalog_, name);  // throws where there is none
      add({Clause::Kind::hardware, {}, {}, name + " " + version}, {hardware_need(name, entry)});
    }
    for (const auto& requirement : project_.requires_)
      add({Clause::Kind::root, {}, {}, requirement.text()}, {need(requirement)});
    for (const auto& requirement : project_.pins)
      add({Clause::Kind::pin, {}, {}, requirement.text()}, {need(requirement)});
  }

  // Hardware names a component itself, never a provider of its name.
  Need hardware_need(const std::string& name, const specs::VersionEntry& entry) {
    Need need{slot(name), {}};
    for (const auto& holder : problem_.slots[need.slot].holders) {
      const auto& entries = entries_[holder.component];
      VersionSet satisfied(entries.size());
      for (std::size_t v = 0; v < entries.size(); ++v) satisfied[v] = entries[v] == &entry;
      need.satisfied.push_back(std::move(satisfied));
    }
    return need;
  }

  void add(Clause clause, std::vector<Need> needs) {
    problem_.clauses.push_back(
        {std::move(clause), CompiledClause::nobody, {}, {}, std::move(needs)});
  }

  void add_component_clauses(std::size_t index) {
    const auto& component = problem_.components[index];
    if (with_left_out_.contains(component.name)) exclude_left_out(index);
    std::map<std::pair<Clause::Kind, std::string>, std::size_t> known;
    // Versions that say the same share one clause.
    const auto state = [&](Clause::Kind kind, const std::string& text, std::size_t version,
                           const auto& make) {
      const auto [at, is_new] = known.try_emplace({kind, text}, problem_.clauses.size());
      if (is_new) {
        CompiledClause clause = make();
        clause.clause = {kind, component.name, {}, text};
        clause.owner = index;
        clause.owners.resize(component.versions.size());
        problem_.clauses.push_back(std::move(clause));
      }
      auto& clause = problem_.clauses[at->second];
      if (clause.owners.test_set(version)) return;
      clause.clause.versions.push_back(component.versions[version]);
    };
    for (std::size_t v = 0; v < component.versions.size(); ++v) {
      const auto& entry = *entries_[index][v];
      const auto plain = [&](const Requirement& requirement) {
        return [&] { return CompiledClause{{}, 0, {}, {}, {need(requirement)}}; };
      };
      for (const auto& requirement : entry.requires_)
        state(Clause::Kind::requirement, requirement.text(), v, plain(requirement));
      for (const auto& requirement : entry.conflicts)
        state(Clause::Kind::conflict, requirement.text(), v, plain(requirement));
      for (const auto& conditional : entry.requires_if)
        state(Clause::Kind::condition, condition_text(conditional), v, [&] {
          return CompiledClause{{}, 0, {}, needs(conditional.if_), needs(conditional.then)};
        });
    }
  }

  // One clause for each reason, which nothing meets.
  void exclude_left_out(std::size_t index) {
    const auto& component = problem_.components[index];
    for (const auto& group : catalog_.find(component.name)->left_out) {
      CompiledClause clause;
      clause.clause = {Clause::Kind::left_out, component.name, {}, group.why};
      clause.owner = index;
      clause.owners.resize(component.versions.size());
      for (std::size_t v = 0; v < component.versions.size(); ++v)
        if (is_left_out(*entries_[index][v]) && std::ranges::find(group.versions, entries_[index][v]->version) != group.versions.end()) {
          clause.owners.set(v);
          clause.clause.versions.push_back(component.versions[v]);
        }
      Need need{slot(component.name), {}};
      for (const auto& holder : problem_.slots[need.slot].holders) need.satisfied.emplace_back(holder.versions.size());
      clause.needs.push_back(std::move(need));
      clause.to_have = group.to_have;
      problem_.clauses.push_back(std::move(clause));
    }
  }

  const specs::Project& project_;
  const specs::Catalog& catalog_;
  const std::set<std::string>& with_left_out_;
  std::deque<specs::VersionEntry> left_out_;
  std::set<const specs::VersionEntry*> left_out_entries_;
  Problem problem_;
  std::vector<std::vector<const specs::VersionEntry*>> entries_;  // as problem_.components
  std::map<std::string, std::set<std::string>> providers_;        // virtual name -> components
  std::map<std::string, std::size_t> component_index_, slot_index_;
  std::map<std::tuple<std::string, std::string, std::string>, Need> needs_;
};

}  // namespace

std::string condition_text(const specs::ConditionalRequirement& conditional) {
  return fmt::format("if {}: {}", joined(conditional.if_), joined(conditional.then));
}

Problem compile(const specs::Project& project, const specs::Catalog& catalog,
                const std::set<std::string>& with_left_out) {
  return Compiler(project, catalog, with_left_out).run();
}

}  // namespace stackx::resolver
