#include "tests/resolver/oracle.hpp"

#include <algorithm>
#include <set>

namespace stackx::test {

using specs::Requirement;

Oracle::Oracle(const specs::Project& project, const specs::Catalog& catalog)
    : catalog_(catalog), project_(project) {
  std::set<std::string> names;
  for (const auto& [name, component] : catalog.components) {
    components_.push_back(&component);
    sizes_.push_back(static_cast<int>(component.versions.size()));
    names.insert(name);
    for (const auto& entry : component.versions)
      for (const auto& [provided, version] : entry.provides) names.insert(provided);
  }
  for (const auto* component : components_) {
    auto& versions = versions_.emplace_back();
    for (const auto& entry : component->versions) {
      Version version{rules(entry.requires_), rules(entry.conflicts), {}};
      for (const auto& conditional : entry.requires_if)
        version.conditionals.push_back({rules(conditional.if_), rules(conditional.then)});
      versions.push_back(std::move(version));
    }
  }
  for (const auto& name : names) names_.push_back(rule({name, "", {{{}}, "*"}}));
  roots_ = rules(project.requires_);
  pins_ = rules(project.pins);
  for (const auto& [name, wanted] : project.hardware) {
    Rule only = rule({name, "", {{{}}, "*"}});
    for (auto& names : only.names) names.assign(names.size(), true);
    for (std::size_t c = 0; c < components_.size(); ++c)
      for (std::size_t v = 0; v < only.standing[c].size(); ++v)
        if (components_[c]->name == name)
          only.standing[c][v] = components_[c]->versions[v].version.text() == wanted ? in : out;
        else if (only.standing[c][v] == in)
          only.standing[c][v] = out;
    roots_.push_back(std::move(only));
  }
}

Oracle::Rule Oracle::rule(const Requirement& requirement) const {
  Rule rule;
  for (const auto* component : components_) {
    auto& standing = rule.standing.emplace_back();
    for (const auto& entry : component->versions) {
      const specs::Version* version = nullptr;
      if (component->name == requirement.component)
        version = &entry.version;
      else if (entry.provides.contains(requirement.component))
        version = &entry.provides.at(requirement.component);
      if (!version) {
        standing.push_back(other);
        continue;
      }
      bool satisfied = false;
      for (const auto& one : requirement.constraint.any) {
        if (requirement.attribute.empty()) {
          satisfied = satisfied || one.range.contains(*version);
          continue;
        }
        const auto found = entry.attributes.find(requirement.attribute);
        if (found == entry.attributes.end()) continue;
        if (const auto* set = std::get_if<std::vector<std::string>>(&found->second)) {
          satisfied = satisfied || std::ranges::all_of(one.contains, [&](const auto& element) {
                        return std::ranges::find(*set, element) != set->end();
                      });
        } else if (one.contains.empty()) {
          const auto& text = std::get<std::string>(found->second);
          satisfied = satisfied ||
                      one.range.contains(*specs::Version::parse(text, specs::Versioning::pep440));
        }
      }
      standing.push_back(satisfied ? in : out);
    }
  }
  for (std::size_t c = 0; c < components_.size(); ++c) {
    auto& names = rule.names.emplace_back();
    const auto& versions = components_[c]->versions;
    bool common = false;  // is there a version in range that comes without being mentioned?
    for (std::size_t v = 0; v < versions.size(); ++v)
      common = common || (rule.standing[c][v] == in && !is_shy(versions[v], c));
    for (std::size_t v = 0; v < versions.size(); ++v) {
      const bool last_resort = !common && rule.standing[c][v] == in && requirement.attribute.empty() &&
                               components_[c]->name == requirement.component &&
                               versions[v].by_name == specs::ByName::prerelease;
      names.push_back(!is_shy(versions[v], c) || last_resort || mentions(requirement, c, versions[v]));
    }
  }
  return rule;
}

bool Oracle::is_shy(const specs::VersionEntry& entry, std::size_t component) const {
  if (entry.by_name == specs::ByName::no) return false;
  for (const auto& pin : project_.pins)
    if (mentions(pin, component, entry)) return false;
  return true;
}

bool Oracle::mentions(const Requirement& requirement, std::size_t component, const specs::VersionEntry& entry) const {
  if (requirement.component != components_[component]->name || !requirement.attribute.empty()) return false;
  for (const auto& one : requirement.constraint.any) {
    if (!one.range.contains(entry.version)) continue;
    const auto& text = one.range.text();  // of one clause, in random problems
    const auto number = text.substr(std::min(text.size(), text.find_first_of("0123456789")));
    const auto named = specs::Version::parse(number, specs::Versioning::pep440);
    const bool pinned = text.starts_with("==") && !text.ends_with("*");
    const bool of_prerelease = named && named->is_prerelease() && !text.starts_with("!=");
    if (entry.by_name == specs::ByName::yanked ? pinned : of_prerelease) return true;
  }
  return false;
}

std::vector<Oracle::Rule> Oracle::rules(const std::vector<Requirement>& requirements) const {
  std::vector<Rule> result;
  for (const auto& requirement : requirements) result.push_back(rule(requirement));
  return result;
}

bool Oracle::met(const Rule& rule, const Assignment& assignment) {
  for (std::size_t c = 0; c < assignment.size(); ++c)
    if (assignment[c] >= 0 && rule.standing[c][static_cast<std::size_t>(assignment[c])] == in)
      return true;
  return false;
}

bool Oracle::one_holder_a_name(const Assignment& assignment) const {
  for (const auto& name : names_) {
    int holders = 0;
    for (std::size_t c = 0; c < assignment.size(); ++c)
      if (assignment[c] >= 0 && name.standing[c][static_cast<std::size_t>(assignment[c])] != other)
        ++holders;
    if (holders > 1) return false;
  }
  return true;
}

bool Oracle::needs_met(const Assignment& assignment) const {
  const auto all_met = [&](const std::vector<Rule>& rules) {
    return std::ranges::all_of(rules, [&](const Rule& rule) { return met(rule, assignment); });
  };
  if (!all_met(roots_)) return false;
  for (const auto& pin : pins_)
    for (std::size_t c = 0; c < assignment.size(); ++c)
      if (assignment[c] >= 0 && pin.standing[c][static_cast<std::size_t>(assignment[c])] == out)
        return false;
  for (std::size_t c = 0; c < assignment.size(); ++c) {
    if (assignment[c] < 0) continue;
    const auto& version = versions_[c][static_cast<std::size_t>(assignment[c])];
    if (!all_met(version.requires_)) return false;
    for (const auto& conditional : version.conditionals)
      if (all_met(conditional.if_) && !all_met(conditional.then)) return false;
  }
  return true;
}

bool Oracle::no_conflict(const Assignment& assignment) const {
  for (std::size_t c = 0; c < assignment.size(); ++c) {
    if (assignment[c] < 0) continue;
    for (const auto& conflict : versions_[c][static_cast<std::size_t>(assignment[c])].conflicts)
      for (std::size_t d = 0; d < assignment.size(); ++d)
        if (d != c && assignment[d] >= 0 &&
            conflict.standing[d][static_cast<std::size_t>(assignment[d])] == in)
          return false;
  }
  return true;
}

bool Oracle::founded(const Assignment& assignment) const {
  std::vector<bool> reached(assignment.size());
  const auto reach = [&](const std::vector<Rule>& rules) {
    bool news = false;
    for (const auto& rule : rules)
      for (std::size_t c = 0; c < assignment.size(); ++c)
        if (assignment[c] >= 0 && !reached[c] &&
            rule.standing[c][static_cast<std::size_t>(assignment[c])] != other &&
            rule.names[c][static_cast<std::size_t>(assignment[c])])
          news = reached[c] = true;
    return news;
  };
  bool news = reach(roots_);
  while (news) {
    news = false;
    for (std::size_t c = 0; c < assignment.size(); ++c) {
      if (!reached[c]) continue;
      const auto& version = versions_[c][static_cast<std::size_t>(assignment[c])];
      news = reach(version.requires_) || news;
      for (const auto& conditional : version.conditionals)
        if (std::ranges::all_of(conditional.if_,
                                [&](const Rule& rule) { return met(rule, assignment); }))
          news = reach(conditional.then) || news;
    }
  }
  for (std::size_t c = 0; c < assignment.size(); ++c)
    if (assignment[c] >= 0 && !reached[c]) return false;
  return true;
}

bool Oracle::is_stack(const Assignment& assignment) const {
  return needs_met(assignment) && one_holder_a_name(assignment) && no_conflict(assignment) &&
         founded(assignment);
}

std::vector<Assignment> Oracle::stacks() const {
  std::vector<Assignment> result;
  each_assignment([&](const Assignment& assignment) {
    if (is_stack(assignment)) result.push_back(assignment);
    return true;
  });
  return result;
}

bool Oracle::solvable() const {
  bool found = false;
  each_assignment([&](const Assignment& assignment) { return !(found = is_stack(assignment)); });
  return found;
}

specs::Stack Oracle::named(const Assignment& assignment) const {
  specs::Stack stack;
  for (std::size_t c = 0; c < assignment.size(); ++c)
    if (assignment[c] >= 0)
      stack.components[components_[c]->name] =
          components_[c]->versions[static_cast<std::size_t>(assignment[c])].version.text();
  return stack;
}

std::vector<std::string> Oracle::reachable() const {
  std::set<std::string> names;
  for (const auto& [name, version] : project_.hardware) names.insert(name);
  for (const auto& requirement : project_.requires_) names.insert(requirement.component);
  std::set<std::string> reached;
  for (bool news = true; news;) {
    news = false;
    for (const auto* component : components_) {
      bool wanted = names.contains(component->name);
      for (const auto& entry : component->versions)
        for (const auto& [provided, version] : entry.provides)
          wanted = wanted || names.contains(provided);
      if (!wanted || !reached.insert(component->name).second) continue;
      news = true;
      for (const auto& entry : component->versions) {
        for (const auto& requirement : entry.requires_) names.insert(requirement.component);
        for (const auto& conditional : entry.requires_if)
          for (const auto& requirement : conditional.then) names.insert(requirement.component);
      }
    }
  }
  return {reached.begin(), reached.end()};
}

}  // namespace stackx::test
