#include "blame/between/groups.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/dynamic_bitset.hpp>
#include <functional>
#include <limits>
#include <map>
#include <set>

namespace stackx::blame {
namespace {

using Places = std::vector<std::size_t>;
using Arrows = std::vector<std::set<std::size_t>>;

Arrows arrows_of(std::size_t count, const std::vector<Rule>& rules) {
  Arrows result(count);
  for (const auto& rule : rules)
    if (rule.from() != rule.to()) result[rule.from()].insert(rule.to());
  return result;
}

// Tarjan 1972. Of each change the number of its component, which is above those that it reaches. With a stack of its own:
// a chain of requirements may be as long as a lock.
Places components_of(const Arrows& arrows) {
  constexpr auto none = std::numeric_limits<std::size_t>::max();
  struct Visit {
    std::size_t node;
    std::set<std::size_t>::const_iterator next;
  };
  Places component(arrows.size(), none), index(arrows.size(), none), low(arrows.size(), 0), open;
  std::vector<Visit> path;
  std::size_t visited = 0, count = 0;
  const auto enter = [&](std::size_t node) {
    index[node] = low[node] = visited++;
    open.push_back(node);
    path.push_back({node, arrows[node].begin()});
  };
  const auto leave = [&](std::size_t node) {
    path.pop_back();
    if (!path.empty()) low[path.back().node] = std::min(low[path.back().node], low[node]);
    if (low[node] != index[node]) return;
    for (auto last = none; last != node; open.pop_back()) component[last = open.back()] = count;
    ++count;
  };
  for (std::size_t root = 0; root < arrows.size(); ++root) {
    if (index[root] == none) enter(root);
    while (!path.empty()) {
      auto& [node, next] = path.back();
      if (next == arrows[node].end()) {
        leave(node);
      } else if (const auto other = *next++; index[other] == none) {
        enter(other);
      } else if (component[other] == none) {
        low[node] = std::min(low[node], index[other]);
      }
    }
  }
  return component;
}

// One that is there for another alone: the rule by which it joins.
class Joining {
 public:
  Joining(const std::vector<Change>& changes, std::vector<Rule>& rules) : changes_(changes), rules_(rules) {}

  // Of each change its component, when nothing joins any more.
  Places run() {
    while (true) {
      auto component = components_of(arrows_of(changes_.size(), rules_));
      if (!join(component)) return component;
    }
  }

 private:
  bool join(const Places& component) {
    std::set<std::size_t> fixed[2];  // components of more than what is there at that end alone
    for (std::size_t i = 0; i < changes_.size(); ++i)
      for (const bool is_new : {false, true})
        if (!changes_[i].version(!is_new).empty()) fixed[is_new].insert(component[i]);
    std::map<std::size_t, std::vector<const Rule*>> wanted;  // component -> rules from outside that require it there
    for (const auto& rule : rules_)
      if (component[rule.change] != component[rule.required] && !fixed[rule.is_new].contains(component[rule.required]))
        wanted[component[rule.required]].push_back(&rule);
    std::vector<Rule> more;
    for (const auto& [which, by] : wanted) {
      const auto one = component[by.front()->change];
      if (!std::ranges::all_of(by, [&](const Rule* rule) { return component[rule->change] == one; })) continue;
      more.push_back(presence(by));
    }
    rules_.insert(rules_.end(), more.begin(), more.end());
    return !more.empty();
  }

  // Those that require it are one group: it is bound to the first of them.
  Rule presence(const std::vector<const Rule*>& by) const {
    const auto& rule = *by.front();
    std::set<std::string> owners;
    for (const auto* one : by)
      if (one->required == rule.required) owners.insert(in_words(one->change, rule.is_new));
    return {rule.required, rule.change, rule.is_new,
            fmt::format("{} is there for {} alone", in_words(rule.required, rule.is_new), fmt::join(owners, " and ")), true};
  }

  std::string in_words(std::size_t change, bool is_new) const {
    const auto& [component, old_version, new_version] = changes_[change];
    const auto& version = is_new ? new_version : old_version;
    return version.empty() ? "want of " + component : component + " " + version;
  }

  const std::vector<Change>& changes_;
  std::vector<Rule>& rules_;
};

std::size_t reached_from(std::size_t begin, const std::map<std::size_t, std::set<std::size_t>>& required) {
  std::set<std::size_t> seen{begin};
  for (Places waiting{begin}; !waiting.empty();) {
    const auto found = required.find(waiting.back());
    waiting.pop_back();
    if (found == required.end()) continue;
    for (const auto other : found->second)
      if (seen.insert(other).second) waiting.push_back(other);
  }
  return seen.size();
}

Group group_of(Places members, const std::vector<Change>& changes, const std::vector<Rule>& rules, const Places& component) {
  std::map<std::size_t, std::set<std::size_t>> required;
  const auto within = [&](const Rule& rule) {
    return component[rule.change] == component[members.front()] && component[rule.required] == component[rule.change] &&
           rule.change != rule.required;
  };
  for (const auto& rule : rules)
    if (!rule.is_of_presence && within(rule)) required[rule.change].insert(rule.required);
  std::ranges::sort(members, {}, [&](std::size_t i) { return changes[i].component; });
  const auto leading = std::ranges::max_element(
      members, {}, [&](std::size_t i) { return std::pair(reached_from(i, required), required[i].size()); });
  std::rotate(members.begin(), leading, leading + 1);
  Group group{members, {}, {}};
  for (const auto i : members)
    for (const auto& rule : rules)
      if (rule.change == i && within(rule) && std::ranges::find(group.because, rule.why) == group.because.end())
        group.because.push_back(rule.why);
  return group;
}

}  // namespace

std::vector<Group> find_groups(const std::vector<Change>& changes, std::vector<Rule>& rules) {
  const auto component = Joining(changes, rules).run();
  std::map<std::size_t, Places> members;
  for (std::size_t i = 0; i < changes.size(); ++i) members[component[i]].push_back(i);
  std::vector<Group> found;  // by component
  for (const auto& [which, some] : members) found.push_back(group_of(some, changes, rules, component));
  Arrows needs(found.size());
  for (const auto& rule : rules)
    if (component[rule.from()] != component[rule.to()]) needs[component[rule.from()]].insert(component[rule.to()]);

  // The first by name of those that have all that they need.
  std::vector<std::set<std::size_t>> needed_by(found.size());
  Places open(found.size()), place(found.size());
  std::set<std::pair<std::string, std::size_t>> ready;
  const auto offer = [&](std::size_t i) { ready.emplace(changes[found[i].changes.front()].component, i); };
  for (std::size_t i = 0; i < found.size(); ++i) {
    open[i] = needs[i].size();
    for (const auto other : needs[i]) needed_by[other].insert(i);
    if (open[i] == 0) offer(i);
  }
  std::vector<Group> result;
  std::vector<boost::dynamic_bitset<>> reached;
  while (!ready.empty()) {
    const auto which = ready.extract(ready.begin()).value().second;
    place[which] = result.size();
    boost::dynamic_bitset<> all(found.size());
    for (const auto other : needs[which]) all |= reached[place[other]], all.set(place[other]);
    auto& group = result.emplace_back(std::move(found[which]));
    for (auto i = all.find_first(); i != all.npos; i = all.find_next(i)) group.needs.push_back(i);
    reached.push_back(std::move(all));
    for (const auto other : needed_by[which])
      if (--open[other] == 0) offer(other);
  }
  return result;
}

}  // namespace stackx::blame
