#include "blame/between/stacks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "blame/between/groups.hpp"
#include "blame/between/question.hpp"
#include "blame/between/rules.hpp"
#include "resolver/meaning.hpp"
#include "specs/error.hpp"
#include "specs/format/nearest.hpp"

namespace stackx::blame {
namespace {

using Together = std::vector<State>;  // what must not be together, or makes a condition hold

// One component at one or both ends.
struct Selected {
  const specs::Component* component = nullptr;
  const specs::VersionEntry* entry[2] = {nullptr, nullptr};  // old, new; null: not there
  std::optional<std::size_t> change;

  std::string text(bool is_new) const { return component->name + " " + entry[is_new]->version.text(); }
};

class BetweenStacks {
 public:
  BetweenStacks(const specs::Stack& old_stack, const specs::Stack& new_stack, const specs::Project& project,
                const specs::Catalog& catalog)
      : stacks_{old_stack, new_stack},
        project_(project),
        catalog_(catalog),
        rules_("the old stack", "the new stack") {}

  Between run() {
    select();
    for (const auto& requirement : project_.requires_)
      if (const auto states = unmet(requirement, {})) rules_.forbid(*states, "the project needs " + requirement.text());
    for (const auto& one : selected_)
      for (const bool is_new : {false, true})
        if (one.entry[is_new] && (one.change || !is_new)) demand(one, is_new);
    one_holder_a_name();
    auto rules = rules_.all();
    between_.groups = find_groups(between_.changes, rules);
    add_components();
    between_.project = project_;
    pose(between_, rules);
    between_.notes = rules_.notes();
    return std::move(between_);
  }

 private:
  void select() {
    std::set<std::string> names;
    for (auto& stack : stacks_) {
      for (const auto& [name, version] : project_.hardware) stack.components[name] = version;
      for (const auto& [name, version] : stack.components) names.insert(name);
    }
    for (const auto& name : names) {
      Selected one;
      one.component = catalog_.find(name);
      for (const bool is_new : {false, true}) one.entry[is_new] = entry_of(name, stacks_[is_new]);
      if (one.entry[0] != one.entry[1]) {
        one.change = between_.changes.size();
        between_.changes.push_back({name, version_of(one.entry[0]), version_of(one.entry[1])});
      }
      selected_.push_back(one);
    }
  }

  static std::string version_of(const specs::VersionEntry* entry) { return entry ? entry->version.text() : ""; }

  const specs::VersionEntry* entry_of(const std::string& name, const specs::Stack& stack) const {
    const auto found = stack.components.find(name);
    if (found == stack.components.end()) return nullptr;
    const auto* component = catalog_.find(name);
    if (!component)
      throw bad_input(fmt::format("stack {}: no catalog of {} declares {}{}; name the project or catalogs that it was measured with",
                                  stack.short_id(), project_.file.string(), name, specs::suggestion(name, specs::known_names(catalog_))));
    if (const auto* entry = component->find(found->second)) return entry;
    std::vector<std::string> known;
    for (const auto& entry : component->versions) known.push_back(entry.version.text());
    throw bad_input(fmt::format("stack {}: {}: there is no version {} of {}{}; name the project or catalogs that it was measured with",
                                stack.short_id(), component->file, found->second, name, specs::suggestion(found->second, known)));
  }

  static bool says(const specs::VersionEntry* entry, const specs::Requirement& requirement) {
    return entry && std::ranges::any_of(entry->requires_, [&](const auto& one) { return one.text() == requirement.text(); });
  }

  // States in which the requirement is not met, in addition to `states`; nothing where it always is.
  std::optional<Together> unmet(const specs::Requirement& requirement, Together states) const {
    for (const auto& one : selected_) {
      const bool met[] = {meets(one, false, requirement), meets(one, true, requirement)};
      if (met[0] && met[1]) return std::nullopt;
      if (met[0] || met[1]) states.push_back({*one.change, met[0]});
    }
    return states;
  }

  static bool meets(const Selected& one, bool is_new, const specs::Requirement& requirement) {
    return one.entry[is_new] && resolver::meets(*one.component, *one.entry[is_new], requirement);
  }

  // Each way in which it is met: one state, or none where it always is.
  std::vector<Together> met(const specs::Requirement& requirement, const Selected* but_by = nullptr) const {
    std::vector<Together> result;
    for (const auto& one : selected_) {
      if (&one == but_by) continue;
      const bool met[] = {meets(one, false, requirement), meets(one, true, requirement)};
      if (met[0] && met[1])
        result.push_back({});
      else if (met[0] || met[1])
        result.push_back({{*one.change, met[1]}});
    }
    return result;
  }

  void demand(const Selected& one, bool is_new) {
    const auto& entry = *one.entry[is_new];
    Together owner;
    if (one.change) owner.push_back({*one.change, is_new});
    const auto text = one.text(is_new);
    for (const auto& requirement : entry.requires_)
      if (says(one.entry[!is_new], requirement))
        require({}, requirement, one.component->name);  // at both ends: whatever its version is
      else
        require(owner, requirement, text);
    for (const auto& conditional : entry.requires_if) {
      std::string if_;
      for (const auto& condition : conditional.if_) if_ += (if_.empty() ? " if " : ", ") + condition.text();
      where_met(conditional.if_, 0, owner, [&](const Together& states) {
        for (const auto& requirement : conditional.then) require(states, requirement, text, if_);
      });
    }
    for (const auto& conflict : entry.conflicts)
      for (const auto& states : met(conflict, &one)) rules_.forbid(both(owner, states), text + " conflicts with " + conflict.text());
    for (const auto& pin : project_.pins)
      if (resolver::held_version(*one.component, entry, pin.component) && !meets(one, is_new, pin))
        rules_.forbid(owner, fmt::format("{} is pinned to {}", text, pin.text()));
  }

  void require(const Together& states, const specs::Requirement& requirement, const std::string& who, const std::string& if_ = "") {
    if (const auto together = unmet(requirement, states)) rules_.forbid(*together, who + " requires " + requirement.text() + if_);
  }

  // Every way in which all conditions from the i-th on hold.
  void where_met(const std::vector<specs::Requirement>& conditions, std::size_t i, const Together& states,
                 const std::function<void(const Together&)>& visit) const {
    if (i == conditions.size()) return visit(states);
    for (const auto& way : met(conditions[i])) where_met(conditions, i + 1, both(states, way), visit);
  }

  static Together both(Together states, const Together& more) {
    for (const auto& one : more)
      if (std::ranges::find(states, one) == states.end()) states.push_back(one);
    return states;
  }

  void one_holder_a_name() {
    std::map<std::string, std::vector<std::pair<const Selected*, bool>>> holders;
    for (const auto& one : selected_)
      for (const bool is_new : {false, true}) {
        if (!one.entry[is_new]) continue;
        holders[one.component->name].emplace_back(&one, is_new);
        for (const auto& [name, version] : one.entry[is_new]->provides)
          if (name != one.component->name) holders[name].emplace_back(&one, is_new);
      }
    for (const auto& [name, some] : holders)
      for (std::size_t i = 0; i < some.size(); ++i)
        for (std::size_t j = i + 1; j < some.size(); ++j) {
          const auto& [a, a_new] = some[i];
          const auto& [b, b_new] = some[j];
          if (a == b) continue;
          Together states;
          if (a->change) states.push_back({*a->change, a_new});
          if (b->change) states.push_back({*b->change, b_new});
          if (!rules_.forbid(states, fmt::format("{} and {} both provide {}", a->text(a_new), b->text(b_new), name)))
            shared_.insert(name);
        }
  }

  // As the catalog has them, without what they demand: the rules say that. What they provide tells which library is measured.
  void add_components() {
    for (const auto& one : selected_) {
      auto component = *one.component;
      component.versions.clear();
      for (const bool is_new : {false, true}) {
        const auto* entry = one.entry[is_new];
        if (!entry || (is_new && entry == one.entry[0])) continue;
        auto& kept = component.versions.emplace_back(*entry);
        kept.requires_.clear();
        kept.requires_if.clear();
        kept.conflicts.clear();
        std::erase_if(kept.provides, [&](const auto& name) { return shared_.contains(name.first); });
      }
      between_.catalog.components.emplace(component.name, std::move(component));
    }
    between_.catalog.overlays = catalog_.overlays;
    between_.catalog.as_of = catalog_.as_of;
  }

  specs::Stack stacks_[2];
  const specs::Project& project_;
  const specs::Catalog& catalog_;
  Rules rules_;
  Between between_;
  std::vector<Selected> selected_;  // by name
  std::set<std::string> shared_;    // that two components of one end provide
};

}  // namespace

Between between_stacks(const specs::Stack& old_stack, const specs::Stack& new_stack, const specs::Project& project,
                       const specs::Catalog& catalog) {
  return BetweenStacks(old_stack, new_stack, project, catalog).run();
}

}  // namespace stackx::blame
