#include "blame/between/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "resolver/resolver.hpp"
#include "specs/error.hpp"

namespace stackx::blame {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;  // of the resolver's tables

specs::Requirement range_of(const specs::Component& component, const std::string& text) {
  return {component.name, "", {{{*specs::SpecifierSet::parse(text, component.versioning), {}}}, text}};
}

class Posing {
 public:
  Posing(Between& between, const std::vector<Rule>& rules) : between_(between), rules_(rules) {}

  void run() {
    between_.project.requires_.clear();
    between_.project.pins.clear();
    add_roots();
    std::set<std::tuple<std::size_t, std::size_t, bool>> known;
    for (const auto& rule : rules_)
      if (known.emplace(rule.change, rule.required, rule.is_new).second) hold(rule);
    try {
      between_.valid_stacks =
          resolver::Resolver(between_.project, between_.catalog, {.bytes = most_bytes}).count().str();
    } catch (const resolver::TooEntangled&) {
      between_.valid_stacks.clear();
    }
  }

 private:
  // What is at both ends is required. What is at one of them is held by everything that is required, once it is there.
  void add_roots() {
    std::set<std::string> optional;
    for (const auto& change : between_.changes)
      if (change.is_one_sided()) optional.insert(change.component);
    std::vector<specs::ConditionalRequirement> if_there;
    for (const auto& name : optional) {
      const auto any = range_of(between_.catalog.components.at(name), "*");
      if_there.push_back({{any}, {any}});
    }
    bool held = false;
    for (auto& [name, component] : between_.catalog.components) {
      if (optional.contains(name)) continue;
      if (!between_.project.hardware.contains(name)) between_.project.requires_.push_back(range_of(component, "*"));
      if (held) continue;  // by one is enough, and less entangled
      for (auto& entry : component.versions) entry.requires_if = if_there;
      held = true;
    }
    if (!held) throw bad_input("the two ends have no component in common: there is nothing between them to search");
  }

  void hold(const Rule& rule) {
    const State owner{rule.change, rule.is_new}, required{rule.required, rule.is_new};
    if (is_there(owner))
      demand(owner, required);
    else if (is_there(not_(required)))  // the same rule, said by the other
      demand(not_(required), not_(owner));
    else
      one_of(not_(owner), required);
  }

  void demand(const State& owner, const State& required) {
    if (is_there(required))
      entry(owner).requires_.push_back(exactly(required));
    else
      entry(owner).conflicts.push_back(range_of(component(required), "*"));
  }

  // One is at the old end alone, the other at the new: the rule is that they are not both absent, and it comes of a name
  // that both hold, which no two may in one stack.
  void one_of(const State& one, const State& other) {
    const auto name = component(one).name + "-or-" + component(other).name;
    for (const auto& state : {one, other}) entry(state).provides.emplace(name, entry(state).version);
    between_.project.requires_.push_back({name, "", range_of(component(one), "*").constraint});
  }

  // "==2.4.0" holds for 2.4.0+cu121, too.
  specs::Requirement exactly(const State& state) {
    const auto& of = component(state);
    const auto text = "==" + entry(state).version.text();
    auto result = range_of(of, text);
    const auto other = not_(state);
    if (is_there(other) && result.constraint.any.front().range.contains(entry(other).version) &&
        specs::SpecifierSet::parse("=" + text, of.versioning))
      result = range_of(of, "=" + text);
    return result;
  }

  const std::string& version(const State& state) const { return between_.changes[state.change].version(state.is_new); }
  bool is_there(const State& state) const { return !version(state).empty(); }
  static State not_(const State& state) { return {state.change, !state.is_new}; }
  specs::Component& component(const State& state) {
    return between_.catalog.components.at(between_.changes[state.change].component);
  }
  specs::VersionEntry& entry(const State& state) {
    return *std::ranges::find(component(state).versions, version(state), [](const auto& one) { return one.version.text(); });
  }

  Between& between_;
  const std::vector<Rule>& rules_;
};

}  // namespace

void pose(Between& between, const std::vector<Rule>& rules) { Posing(between, rules).run(); }

}  // namespace stackx::blame
