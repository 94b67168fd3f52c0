#include "blame/between/packages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "blame/between/asked_extras.hpp"
#include "blame/between/groups.hpp"
#include "blame/between/platform_lock.hpp"
#include "blame/between/question.hpp"
#include "blame/between/rules.hpp"
#include "specs/error.hpp"
#include "specs/format/text_file.hpp"
#include "specs/python/pep508.hpp"

namespace stackx::blame {
namespace {

using States = std::vector<State>;
using Seen = std::set<std::tuple<std::string, std::string, States>>;  // package, extra, in which states

specs::Version parsed(const std::string& version) {
  const auto result = specs::Version::parse(version, specs::Versioning::pep440);
  if (!result) throw bad_input(fmt::format("{}: no version of a Python package: {}", specs::in_quotes(version), result.error().reason));
  return *result;
}

// One version of a package: who requires, or what is required.
struct Party {
  std::string name, version;
  std::optional<State> state;      // none: it is at both ends
  bool at_end[2] = {false, false};  // old, new
};

class BetweenPackages {
 public:
  BetweenPackages(const End& old_end, const End& new_end, const Pythons& pythons, const LockedPackages& locked)
      : ends_{&old_end, &new_end}, pythons_(pythons), locked_(locked), rules_(old_end.text, new_end.text) {}

  Between run() {
    find_changes();
    for (const bool is_new : {false, true}) extras_[is_new] = asked_extras(*ends_[is_new], pythons_, python_at(is_new), locked_);
    for (const auto& [name, versions] : parties_)
      for (const auto& party : versions) require(party);
    auto rules = rules_.all();
    between_.groups = find_groups(between_.changes, rules);
    add_components();
    between_.project.name = "between";
    pose(between_, rules);
    between_.notes = rules_.notes();
    between_.broken = rules_.broken();
    for (const auto* end : ends_)
      if (!end->skipped.empty())
        between_.notes.push_back(fmt::format("{}: left out: {}", end->text, fmt::join(end->skipped, ", ")));
    if (!absent_.empty()) between_.notes.push_back(absent_in_words());
    return std::move(between_);
  }

 private:
  void find_changes() {
    std::set<std::string> names{"python"};
    for (const auto* end : ends_)
      for (const auto& [name, version] : end->packages) names.insert(name);
    for (const auto& name : names) {
      const auto before = version_at(false, name), after = version_at(true, name);
      const bool same = !before.empty() && !after.empty() && parsed(before) == parsed(after);
      if (!same) {
        place_.emplace(name, between_.changes.size());
        between_.changes.push_back({name, before, after});
      }
      if (name == "python") continue;
      auto& parties = parties_[name];
      if (same) {
        parties.push_back({name, before, std::nullopt, {true, true}});
        continue;
      }
      for (const bool is_new : {false, true})
        if (const auto& version = is_new ? after : before; !version.empty())
          parties.push_back({name, version, State{place_.at(name), is_new}, {!is_new, is_new}});
    }
  }

  std::string version_at(bool is_new, const std::string& name) const {
    if (name == "python") return pythons_[python_at(is_new)].python();
    const auto found = ends_[is_new]->packages.find(name);
    return found == ends_[is_new]->packages.end() ? "" : found->second;
  }
  std::size_t python_at(bool is_new) const { return is_new ? pythons_.size() - 1 : 0; }

  const OnPython& on(const Party& party, std::size_t python) const {
    return locked_.at(party.name).at(party.version).on.at(python);
  }
  // What it requires on that Python without an extra, or what this one adds.
  std::vector<const specs::Dependency*> requirements(const Party& party, std::size_t python, const std::string& extra) const {
    const auto& facts = on(party, python).facts;
    return facts ? pypi::holding(*facts, pythons_[python], extra) : std::vector<const specs::Dependency*>{};
  }
  const Party* party_at(bool is_new, const std::string& name) const {
    const auto found = parties_.find(name);
    if (found == parties_.end()) return nullptr;
    const auto party = std::ranges::find_if(found->second, [&](const Party& one) { return one.at_end[is_new]; });
    return party == found->second.end() ? nullptr : &*party;
  }

  bool is_asked_for(bool is_new, const std::string& name, const std::string& extra) const {
    const auto found = extras_[is_new].find(name);
    return found != extras_[is_new].end() && found->second.contains(extra);
  }

  // In force whenever this version is in a stack.
  bool is_in_force(const Party& party, const std::string& extra) const {
    return (!party.at_end[0] || is_asked_for(false, party.name, extra)) &&
           (!party.at_end[1] || is_asked_for(true, party.name, extra));
  }

  void refuse_python(const Party& party, std::size_t python, const std::string& why) {
    States states;
    if (party.state) states.push_back(*party.state);
    rules_.forbid(pythons_.size() > 1 ? with_python(states, python) : states, why);
  }

  void require(const Party& party) {
    for (std::size_t i = 0; i < pythons_.size(); ++i) {
      const auto& known = on(party, i);
      if (!known.fault.empty()) refuse_python(party, i, fmt::format("{} {} {}", party.name, party.version, known.fault));
      if (!known.unread.empty())
        rules_.note(fmt::format("{} {}: nobody knows what it requires: {}", party.name, party.version, known.unread));
    }
    std::set<std::string> extras{""};
    for (const auto& asked : extras_)
      if (const auto found = asked.find(party.name); found != asked.end())
        for (const auto& extra : found->second)
          if (is_in_force(party, extra)) extras.insert(extra);
    Seen seen;
    for (const auto& extra : extras) follow(party.state ? States{*party.state} : States{}, party, extra, seen);
  }

  // What `party` requires under the extra, which is in force in these states.
  void follow(const States& states, const Party& party, const std::string& extra, Seen& seen) {
    if (!seen.emplace(party.name, extra, states).second) return;
    struct Required {
      const specs::Dependency* dependency;
      std::vector<std::size_t> pythons;  // that the marker holds for
    };
    std::map<std::string, Required> required;  // by what it says but for the marker
    for (std::size_t i = 0; i < pythons_.size(); ++i)
      for (const auto* dependency : requirements(party, i, extra)) {
        auto& pythons = required.try_emplace(words_of(*dependency), Required{dependency, {}}).first->second.pythons;
        if (pythons.empty() || pythons.back() != i) pythons.push_back(i);
      }
    for (const auto& [words, one] : required) {
      auto where = states;
      if (one.pythons.size() < pythons_.size()) where = with_python(states, one.pythons.front());
      const auto who = party.name + (extra.empty() ? "" : "[" + extra + "]") + " " + party.version;
      hold(where, party, *one.dependency, who + " requires " + words, seen);
    }
  }

  States with_python(States states, std::size_t python) const {
    const State state{place_.at("python"), python == 1};
    if (std::ranges::find(states, state) == states.end()) states.push_back(state);
    return states;
  }

  static std::string words_of(const specs::Dependency& dependency) {
    const auto text = dependency.with_extras();
    return dependency.versions.is_any() ? text : text + " " + dependency.versions.text();
  }

  // In these states the dependency must be met.
  void hold(const States& states, const Party& party, const specs::Dependency& dependency, const std::string& why, Seen& seen) {
    const auto& name = dependency.name;
    if (name == party.name) {  // "all" of its own extras
      for (const auto& extra : dependency.extras) ask(states, party, extra, why, seen);
      return;
    }
    if (!parties_.contains(name)) {
      absent_.insert(name);
      return;
    }
    const auto is_met = [&](bool is_new) {
      const auto* other = party_at(is_new, name);
      return other && dependency.versions.contains(parsed(other->version));
    };
    const bool met[] = {is_met(false), is_met(true)};
    const auto changed = place_.find(name);
    if (!met[0] && !met[1]) {
      rules_.forbid(states, why);
      return;
    }
    if (changed != place_.end() && met[0] != met[1] && !rules_.forbid(with(states, {changed->second, met[0]}), why)) return;
    for (const auto& other : parties_.at(name))
      for (const auto& extra : dependency.extras) ask(states, other, extra, why, seen);
  }

  // The one that is required stands after who requires it, and before the Python on which it does.
  States with(States states, const State& other) const {
    const auto python = place_.find("python");
    const bool last = states.size() > 1 && python != place_.end() && states.back().change == python->second;
    states.insert(states.end() - last, other);
    return states;
  }

  // In these states the extra of this version must be in force, if it is there.
  void ask(const States& states, const Party& other, const std::string& extra, const std::string& why, Seen& seen) {
    if (is_in_force(other, extra)) return;
    if (other.state)
      rules_.forbid(with(states, *other.state), why + ", which nobody asks for at its end");
    else
      follow(states, other, extra, seen);
  }

  void add_components() {
    const auto add = [&](const std::string& name, specs::Kind kind, const std::set<std::string>& versions) {
      auto& component = between_.catalog.components[name];
      component.name = name;
      component.kind = kind;
      if (kind == specs::Kind::package) component.ecosystem = "pypi";
      for (const auto& version : versions) {
        auto& entry = component.versions.emplace_back();
        entry.version = parsed(version);
        if (kind == specs::Kind::package) entry.artifacts = locked_.at(name).at(version).artifacts;
      }
      std::ranges::sort(component.versions, [](const auto& a, const auto& b) { return a.version < b.version; });
    };
    add("python", specs::Kind::runtime, {version_at(false, "python"), version_at(true, "python")});
    for (const auto& [name, parties] : parties_) {
      std::set<std::string> versions;
      for (const auto& party : parties) versions.insert(party.version);
      add(name, specs::Kind::package, versions);
    }
  }

  std::string absent_in_words() const {
    constexpr std::size_t most = 5;
    std::vector<std::string> some(absent_.begin(), std::next(absent_.begin(), std::min(absent_.size(), most)));
    return fmt::format("required and at neither end: {}{}", fmt::join(some, ", "),
                       absent_.size() > most ? fmt::format(" and {} more", absent_.size() - most) : "");
  }

  const End* ends_[2];
  const Pythons& pythons_;
  const LockedPackages& locked_;
  Rules rules_;
  Between between_;
  std::map<std::string, std::size_t> place_;          // of a change
  std::map<std::string, std::vector<Party>> parties_;  // old first
  AskedExtras extras_[2];
  std::set<std::string> absent_;  // required, and at neither end
};

}  // namespace

Between between_locked(const End& old_end, const End& new_end, const Pythons& pythons, const LockedPackages& locked) {
  return BetweenPackages(old_end, new_end, pythons, locked).run();
}

Between between_packages(End old_end, End new_end, pypi::Index& index, const PackagesContext& context) {
  for (auto& [name, version] : new_end.packages)  // 1.0 and 1.0.0 are one
    if (const auto known = old_end.packages.find(name); known != old_end.packages.end() && parsed(known->second) == parsed(version))
      version = known->second;
  const auto pythons = pythons_of(old_end, new_end, context.usual_python, context.platform);
  const auto locked = read_locked(old_end, new_end, pythons, index);
  std::vector<std::string> notes;
  leave_out_other_platforms(old_end, pythons, 0, locked, notes);
  leave_out_other_platforms(new_end, pythons, pythons.size() - 1, locked, notes);
  add_likely_extras(old_end, new_end, pythons, 0, locked, notes);
  add_likely_extras(new_end, old_end, pythons, pythons.size() - 1, locked, notes);
  auto result = between_locked(old_end, new_end, pythons, locked);
  result.notes.insert(result.notes.end(), notes.begin(), notes.end());
  return result;
}

}  // namespace stackx::blame
