// The definition of a stack, read aloud. Slow and plain on purpose.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "resolver/meaning.hpp"
#include "resolver/resolver.hpp"

namespace stackx::resolver {
namespace {

using specs::Requirement;

struct Selected {
  const specs::Component* component;
  const specs::VersionEntry* entry;
  std::string text() const { return component->name + " " + entry->version.text(); }
};

class Checker {
 public:
  Checker(const specs::Project& project, const specs::Catalog& catalog, const specs::Stack& stack)
      : project_(project), catalog_(catalog), stack_(stack) {}

  std::optional<std::string> run() {
    for (const auto& check :
         {&Checker::known, &Checker::one_holder_a_name, &Checker::roots, &Checker::pins,
          &Checker::requirements, &Checker::conflicts, &Checker::founded})
      if (auto wrong = (this->*check)()) return wrong;
    return {};
  }

 private:
  using Result = std::optional<std::string>;

  Result known() {
    for (const auto& [name, version] : stack_.components) {
      const auto* component = catalog_.find(name);
      if (!component) return fmt::format("no catalog declares {}", name);
      const auto* entry = component->find(version);
      if (!entry) return fmt::format("no catalog declares {} {}", name, version);
      selected_.push_back({component, entry});
    }
    return {};
  }

  Result one_holder_a_name() {
    std::map<std::string, std::string> holder;
    for (const auto& one : selected_) {
      std::set<std::string> names{one.component->name};
      for (const auto& [name, version] : one.entry->provides) names.insert(name);
      for (const auto& name : names)
        if (const auto [at, is_new] = holder.try_emplace(name, one.component->name); !is_new)
          return fmt::format("{} and {} both provide {}", at->second, one.component->name, name);
    }
    return {};
  }

  Result roots() {
    for (const auto& [name, version] : project_.hardware) {
      const auto& entry = hardware_entry(project_, catalog_, name);
      const auto found = stack_.components.find(name);
      if (found == stack_.components.end() || catalog_.find(name, found->second) != &entry)
        return fmt::format("the hardware {} {} is not in it", name, version);
    }
    for (const auto& requirement : project_.requires_)
      if (!met(requirement)) return fmt::format("the project needs {}", requirement.text());
    return {};
  }

  Result pins() {
    for (const auto& pin : project_.pins)
      if (const auto* one = holder(pin.component); one && !meets(*one->component, *one->entry, pin))
        return fmt::format("{} is pinned to {}", one->text(), pin.text());
    return {};
  }

  Result requirements() {
    for (const auto& one : selected_)
      for (const auto* requirement : active(one))
        if (!met(*requirement)) return fmt::format("{} needs {}", one.text(), requirement->text());
    return {};
  }

  Result conflicts() {
    for (const auto& one : selected_)
      for (const auto& conflict : one.entry->conflicts)
        for (const auto& other : selected_)
          if (other.component != one.component && meets(*other.component, *other.entry, conflict))
            return fmt::format("{} conflicts with {}: {}", one.text(), conflict.text(),
                               other.text());
    return {};
  }

  Result founded() {
    std::set<const specs::Component*> reached;
    std::vector<const Selected*> waiting;
    const auto reach = [&](const Selected* one) {
      if (one && reached.insert(one->component).second) waiting.push_back(one);
    };
    const auto follow = [&](const Requirement& requirement) {
      const auto* one = holder(requirement.component);
      if (one && brought_by(*one, requirement)) reach(one);
    };
    for (const auto& [name, version] : project_.hardware) reach(holder(name));
    for (const auto& requirement : project_.requires_) follow(requirement);
    while (!waiting.empty()) {
      const auto* one = waiting.back();
      waiting.pop_back();
      for (const auto* requirement : active(*one)) follow(*requirement);
    }
    for (const auto& one : selected_)
      if (!reached.contains(one.component))
        return fmt::format("nothing {} {}", must_be_named(*one.component, *one.entry) ? "names" : "needs", one.text());
    return {};
  }

  bool must_be_named(const specs::Component& component, const specs::VersionEntry& entry) const {
    return entry.by_name != specs::ByName::no && std::ranges::none_of(project_.pins, [&](const Requirement& pin) {
             return brings(component, entry, pin, false);
           });
  }

  bool brought_by(const Selected& one, const Requirement& requirement) const {
    const auto& component = *one.component;
    if (!must_be_named(component, *one.entry)) return true;
    const bool alone = std::ranges::none_of(component.versions, [&](const auto& entry) {
      return !must_be_named(component, entry) && meets(component, entry, requirement);
    });
    return brings(component, *one.entry, requirement, alone);
  }

  // What the version requires in this stack: conditional requirements where their condition holds.
  std::vector<const Requirement*> active(const Selected& one) const {
    std::vector<const Requirement*> result;
    for (const auto& requirement : one.entry->requires_) result.push_back(&requirement);
    for (const auto& conditional : one.entry->requires_if) {
      bool holds = true;
      for (const auto& condition : conditional.if_) holds = holds && met(condition);
      if (!holds) continue;
      for (const auto& requirement : conditional.then) result.push_back(&requirement);
    }
    return result;
  }

  const Selected* holder(const std::string& name) const {
    for (const auto& one : selected_)
      if (held_version(*one.component, *one.entry, name)) return &one;
    return nullptr;
  }

  bool met(const Requirement& requirement) const {
    const auto* one = holder(requirement.component);
    return one && meets(*one->component, *one->entry, requirement);
  }

  const specs::Project& project_;
  const specs::Catalog& catalog_;
  const specs::Stack& stack_;
  std::vector<Selected> selected_;
};

}  // namespace

std::optional<std::string> violation(const specs::Project& project, const specs::Catalog& catalog,
                                     const specs::Stack& stack) {
  return Checker(project, catalog, stack).run();
}

}  // namespace stackx::resolver
