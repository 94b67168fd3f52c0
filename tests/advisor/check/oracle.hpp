// What check() must say of a random world, written from the headers alone: brute force over all assignments, numbers instead
// of specifiers, many concrete drivers instead of classes of them.
#pragma once

#include <deque>

#include "tests/advisor/check/random_world.hpp"

namespace check_property_tests {

struct Expected {
  Answer answer = Answer::unknown;
  bool installable = false;
  bool of_no_release = false;                 // a range of what is asked for has none: a no where releases lie on both sides of it
  std::map<std::string, std::string> chosen;  // of what a catalog holds
  std::vector<Number> drivers;                // of those that are tried, where the answer is yes
};

class Oracle {
 public:
  explicit Oracle(const World& world) : world_(world) {}

  Expected run() {
    for (const auto& root : world_.roots)
      if (const auto held = world_.packages.find(root.name);
          held != world_.packages.end() &&
          std::ranges::none_of(held->second, [&](const auto& one) { return root.range.holds(number(one.version)); })) {
        expected_.of_no_release = true;
        return expected_;
      }
    discover();
    add_open();
    expected_.installable = choose({});
    if (!expected_.installable) {
      expected_.answer = Answer::no;
      return expected_;
    }
    for (const auto& [name, candidate] : chosen_)
      if (candidate->release) expected_.chosen[name] = candidate->release->version;
    judge();
    return expected_;
  }

  static std::vector<Number> tried_drivers() {
    std::vector<Number> result{{}, {390}, {600, 1}, {9999}};
    auto texts = kDrivers;
    for (const char* next : {"419", "471", "536", "581"}) texts.emplace_back(next);
    for (const auto& text : texts) {
      result.push_back(number(text));
      result.push_back(just_after(number(text)));
      auto below = number(text);
      --below.back();
      below.push_back(999);
      result.push_back(below);
    }
    return result;
  }

 private:
  struct Candidate {
    Number version;
    const Release* release = nullptr;  // none: of what no catalog holds
    std::vector<Need> needs;
  };

  // The last fact that says something decides.
  Fact about(const std::string& name, const std::string& version) const {
    Fact whole;
    for (const auto& one : world_.facts) {
      if (one.of != name) continue;
      const bool meant = one.versions.empty() ? one.range.holds(number(version))
                                              : std::ranges::find(one.versions, version) != one.versions.end();
      if (!meant) continue;
      if (one.build) whole.build = one.build;
      if (!one.needs.empty()) whole.needs = one.needs;
      whole.soft = whole.soft || one.soft;
    }
    return whole;
  }

  std::vector<Need> needs_of(const std::string& name, const Release& release) const {
    std::vector<Need> result;
    if (!release.read) return result;
    for (const auto& one : release.needs)
      if (one.here) result.push_back(one);
    for (const auto& [other, range] : about(name, release.version).needs) result.push_back({other, other, range, true});
    return result;
  }

  // Breadth first: who is asked for, then what each of the versions that somebody allows needs, old ones first.
  void discover() {
    std::deque<Need> waiting;
    std::set<std::pair<std::string, std::string>> seen;
    const auto want = [&](const Need& one) {
      if (seen.insert({one.name, one.range.written()}).second) waiting.push_back(one);
    };
    for (const auto& root : world_.roots) want(root);
    for (; !waiting.empty(); waiting.pop_front()) {
      const auto wish = waiting.front();
      if (std::ranges::find(order_, wish.name) == order_.end()) order_.push_back(wish.name);
      auto& candidates = candidates_[wish.name];
      const auto held = world_.packages.find(wish.name);
      if (held == world_.packages.end()) continue;
      for (const auto& release : held->second) {
        const auto version = number(release.version);
        const auto same = [&](const auto& one) { return one.version == version; };
        if (!wish.range.holds(version) || std::ranges::any_of(candidates, same)) continue;
        candidates.push_back({version, &release, needs_of(wish.name, release)});
        for (const auto& one : candidates.back().needs) want(one);
      }
    }
  }

  // All that is asked of a package by anything that could be installed.
  std::vector<Range> demands(const std::string& name) const {
    std::vector<Range> result;
    for (const auto* list : {&world_.roots, &world_.constraints})
      for (const auto& one : *list)
        if (one.name == name) result.push_back(one.range);
    for (const auto& [other, candidates] : candidates_)
      for (const auto& candidate : candidates)
        for (const auto& one : candidate.needs)
          if (one.name == name) result.push_back(one.range);
    return result;
  }

  // Any version may exist of what no catalog holds; it matters where no version suits all.
  void add_open() {
    for (const auto& name : order_) {
      if (world_.packages.contains(name)) continue;
      std::set<Number> points{{}};
      const auto ranges = demands(name);
      for (const auto& range : ranges)
        for (const auto& clause : range.clauses) {
          const auto bound = number(clause.text);
          auto next = bound;
          ++next.back();
          points.insert({bound, just_after(bound), next, {bound.front() + 1}});
        }
      const bool silent = std::ranges::any_of(points, [&](const auto& point) {
        return std::ranges::all_of(ranges, [&](const auto& range) { return range.holds(point); });
      });
      if (silent)
        silent_.insert(name);
      else
        for (const auto& point : points) candidates_[name].push_back({point, nullptr, {}});
    }
    std::erase_if(order_, [&](const auto& name) { return silent_.contains(name); });
    for (auto& [name, candidates] : candidates_) {
      std::erase_if(candidates, [](const auto& one) { return one.release && !one.release->installable; });
      std::ranges::sort(candidates, std::ranges::greater(), &Candidate::version);
    }
  }

  bool allows(const Need& need) const {
    if (silent_.contains(need.name)) return true;
    const auto found = chosen_.find(need.name);
    return found == chosen_.end() || need.range.holds(found->second->version);  // or not decided yet
  }

  bool consistent() const {
    for (const auto& root : world_.roots)
      if (!allows(root)) return false;
    for (const auto& [name, candidate] : chosen_) {
      for (const auto& one : candidate->needs)
        if (!allows(one)) return false;
      for (const auto& one : world_.constraints)
        if (one.name == name && !one.range.holds(candidate->version)) return false;
    }
    return true;
  }

  // What is needed and not decided yet, in the order of discovery.
  Texts next_level() const {
    std::set<std::string> needed;
    for (const auto& root : world_.roots) needed.insert(root.name);
    for (const auto& [name, candidate] : chosen_)
      for (const auto& one : candidate->needs) needed.insert(one.name);
    Texts level;
    for (const auto& name : order_)
      if (needed.contains(name) && !chosen_.contains(name)) level.push_back(name);
    return level;
  }

  // Level by level, the newest first: what is found first is the choice.
  bool choose(const Texts& level) {
    if (!consistent()) return false;
    if (level.empty()) {
      const auto next = next_level();
      return next.empty() || choose(next);
    }
    const auto& name = level.front();
    for (const auto& candidate : candidates_[name]) {
      chosen_[name] = &candidate;
      if (choose(Texts(level.begin() + 1, level.end()))) return true;
    }
    chosen_.erase(name);
    return false;
  }

  bool asked(const std::string& name) const {
    return std::ranges::any_of(world_.roots, [&](const auto& one) { return one.name == name; });
  }

  // What somebody who names it wants a GPU for.
  static bool is_framework(const std::string& name) { return name == "torch" || name == "tensorflow"; }

  enum class Reach { none, cubin, ptx };
  Reach reach(const Build& build) const {
    const auto device = number(world_.capability + ".0");  // 9.0 and 9 alike
    const auto major = [](const Number& one) { return one.front(); };
    for (const auto& text : build.cubins)
      if (const auto one = number(text); major(one) == major(device) && one <= device) return Reach::cubin;
    if (!build.minimum.empty() && number(build.minimum) <= device) return Reach::cubin;
    for (const auto& text : build.ptx)
      if (number(text) <= device) return Reach::ptx;
    return Reach::none;
  }

  // A bare number is a branch: its newest.
  Number asked_driver() const { return number(world_.driver.find('.') == world_.driver.npos ? world_.driver + ".9999" : world_.driver); }

  std::string least_driver(const std::string& cuda, Reach reach) const {
    if (cuda == "any") return "";
    if (const auto found = world_.drivers.cuda.find(cuda); found != world_.drivers.cuda.end()) {
      if (reach == Reach::cubin && !found->second.minor.empty()) return found->second.minor;
      if (!found->second.driver.empty()) return found->second.driver;
    }
    for (const auto& [release, one] : world_.drivers.cuda)
      if (release.substr(0, 2) == cuda.substr(0, 2) && !one.minor.empty()) return one.minor;
    return "";
  }

  void judge() {
    const bool none_held = std::ranges::none_of(world_.roots, [&](const auto& one) { return world_.packages.contains(one.name); });
    if (world_.capability.empty()) {
      expected_.answer = none_held ? Answer::unknown : Answer::yes;
      return;
    }
    std::vector<Number> least;
    std::set<std::string> for_cpus, used, unstated;
    bool runs = true, framework_used = false;
    for (const auto& [name, version] : expected_.chosen) {
      const auto fact = about(name, version);
      if (fact.build && fact.build->known() && fact.build->cuda != "none") {
        framework_used = framework_used || is_framework(name);
        if (fact.soft) continue;
        used.insert(name);
        const auto how = reach(*fact.build);
        runs = runs && how != Reach::none;
        if (const auto one = least_driver(fact.build->cuda, how); !one.empty()) least.push_back(number(one));
      } else if (fact.build && fact.build->known()) {
        for_cpus.insert(name);
      } else if (std::ranges::any_of(world_.facts, [&](const auto& one) { return one.of == name && one.build && one.build->cuda != "none"; })) {
        unstated.insert(name);
      }
    }
    for (const auto& driver : world_.driver.empty() ? tried_drivers() : std::vector<Number>{asked_driver()}) {
      const bool known = world_.drivers.since.empty() || driver >= number(world_.drivers.since);
      const bool still = world_.drivers.last.empty() || driver.empty() || driver.front() <= std::stoi(world_.drivers.last);
      if (known && still && std::ranges::all_of(least, [&](const auto& one) { return driver >= one; })) expected_.drivers.push_back(driver);
    }
    runs = runs && !expected_.drivers.empty();
    const bool idle = std::ranges::any_of(for_cpus, [&](const auto& name) {
      return used.empty() || (is_framework(name) && (asked(name) || !framework_used));
    });
    expected_.answer = !runs || idle ? Answer::no : !unstated.empty() || used.empty() ? Answer::unknown : Answer::yes;
  }

  const World& world_;
  std::map<std::string, std::vector<Candidate>> candidates_;
  Texts order_;
  std::set<std::string> silent_;
  std::map<std::string, const Candidate*> chosen_;
  Expected expected_;
};

}  // namespace check_property_tests
