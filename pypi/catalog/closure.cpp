#include "pypi/catalog/closure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/error.hpp"

namespace stackx::pypi {
namespace {

using specs::Dependency;
using specs::SpecifierSet;

// Why this version cannot stand in a catalog for this target, or "".
std::string unusable(const std::string& name, const specs::Version& version, const Facts& facts,
                     const specs::Target& target) {
  for (const auto* dependency : holding(facts, target, "")) {
    if (!dependency->url.empty()) return fmt::format("requires {} by URL", dependency->name);
    if (dependency->name == name && !dependency->versions.contains(version))
      return "requires another version of itself";
  }
  return "";
}

std::expected<Facts, std::string> facts_of(const std::string& name, const specs::Version& version,
                                           const File& file, const Metadata& metadata,
                                           const specs::Target& target) {
  if (auto why = inconsistent(name, version, metadata); !why.empty()) return std::unexpected(std::move(why));
  if (!serves_python(file, metadata, target)) return std::unexpected("needs another Python");
  auto facts = read_facts(file, metadata);
  if (!facts) return facts;
  const auto reason = unusable(name, version, *facts, target);
  if (!reason.empty()) return std::unexpected(reason);
  return facts;
}

using Read = std::map<std::string, std::expected<Metadata, std::string>>;  // by the file's name

// With the servings whose facts can be kept; the reason of the last where none can.
std::expected<Release, std::string> release_of(const std::string& name, const Candidate& candidate,
                                               const Read& read, const Targets& targets) {
  Release release{{candidate.version, {}, candidate.pythons, candidate.by_name}, {}};
  std::string reason;
  for (const auto& serving : candidate.servings) {
    const auto& metadata = read.at(serving.file.name);
    auto facts = metadata ? facts_of(name, candidate.version, serving.file, *metadata,
                                     targets[serving.target])
                          : std::unexpected(metadata.error());
    if (!facts) {
      reason = facts.error();
      continue;
    }
    release.candidate.servings.push_back(serving);
    release.facts.push_back(std::move(*facts));
  }
  if (release.facts.empty()) return std::unexpected(reason);
  return release;
}

enum class State { unread, kept, unusable };

// A project on its way into the closure.
struct Node {
  std::vector<Ranges> asked;               // by the user, for each target
  std::vector<Candidate> candidates = {};  // oldest first
  std::vector<State> states = {};          // of these
  // Requirements of others, each once: its text and the target it is made for.
  std::map<std::pair<std::string, std::size_t>, SpecifierSet> demands = {};
  bool listed = false;
};

class Walk {
 public:
  Walk(const std::vector<Root>& roots, const Targets& targets, const Rules& rules, Index& index)
      : targets_(targets), rules_(rules), index_(index) {
    for (const auto& root : roots) {
      if (const auto wrong = unnameable(root.dependency); !wrong.empty())
        throw bad_input(fmt::format("{}: the catalog {}", root.dependency.name, wrong));
      want({&root.dependency, {}});
      for (const auto i : root.targets)
        nodes_[root.dependency.name].asked[i].push_back(root.dependency.versions);
    }
  }

  Closure run() {
    while (true) {
      list();
      const auto picked = pick();
      if (picked.empty()) break;
      read(picked);
    }
    finish();
    return std::move(closure_);
  }

 private:
  using Picked = std::vector<std::pair<std::string, std::size_t>>;  // project, its candidate

  void want(const Need& need) {
    const auto& [name, extras, versions, url, marker] = *need.dependency;
    auto& node = nodes_.try_emplace(name, Node{std::vector<Ranges>(targets_.size())}).first->second;
    for (const auto i : need.targets) node.demands.try_emplace({versions.text(), i}, versions);
    auto& project = closure_[name];
    for (const auto& extra : extras)
      if (project.extras.insert(extra).second) follow(name, extra);
  }

  // What all releases so far need with this extra. Copies, because want() adds to the closure.
  void follow(const std::string& name, const std::string& extra) {
    const auto releases = closure_[name].releases;
    for (const auto& release : releases) follow(release, extra);
  }
  void follow(const Release& release, const std::string& extra) {
    for (const auto& need : needs(release, targets_, extra)) want(need);
  }

  void list() {
    std::vector<std::string> names;
    for (const auto& [name, node] : nodes_)
      if (!node.listed) names.push_back(name);
    std::map<std::string, std::string> faults;
    const auto listings = index_.listings(names, &faults);
    for (const auto& name : names) {
      auto& node = nodes_.at(name);
      node.listed = true;
      const auto& listing = listings.at(name);
      const bool is_root = std::ranges::any_of(node.asked, [](const Ranges& ranges) { return !ranges.empty(); });
      if (const auto fault = faults.find(name); fault != faults.end()) {
        if (is_root) throw broken_environment(fault->second);
        closure_[name].fault = fault->second;
        continue;
      }
      if (!listing && is_root)
        throw bad_input(unknown_project(name));
      if (!listing) continue;
      auto found = choose(name, *listing, node.asked, targets_, rules_);
      closure_[name].known = true;
      closure_[name].left_out = std::move(found.left_out);
      node.candidates = std::move(found.kept);
      node.states.assign(node.candidates.size(), State::unread);
    }
  }

  std::string unknown_project(const std::string& name) const {
    if (!index_.asks_an_index())
      return fmt::format("{}: none of the places that --find-links or pip names has a file of it, and no index is asked "
                         "(--no-index, PIP_NO_INDEX)",
                         name);
    return fmt::format("{}: the package index has no such project; is it spelt right, and is it on the index "
                       "that `pip config list` names?",
                       name);
  }

  Picked pick() const {
    Picked result;
    for (const auto& [name, node] : nodes_)
      for (const auto i : wanted(node))
        if (node.states[i] == State::unread) result.emplace_back(name, i);
    return result;
  }

  std::set<std::size_t> wanted(const Node& node) const {
    std::set<std::size_t> result;
    bool free = true;  // no candidate must be named
    for (std::size_t i = 0; i < node.candidates.size(); ++i) {
      const auto& candidate = node.candidates[i];
      if (candidate.by_name != specs::ByName::no)
        free = false;
      else if (rules_.newest == 0 || is_asked_for(node, candidate))
        result.insert(i);
    }
    if (rules_.newest > 0 || !free)
      for (const auto& [key, range] : node.demands) add_brought(node, range, key.second, result);
    return result;
  }

  static bool is_asked_for(const Node& node, const Candidate& candidate) {
    return std::ranges::any_of(candidate.servings, [&](const auto& serving) {
      return !node.asked[serving.target].empty();
    });
  }

  // The newest, or all, that a requirement may bring.
  void add_brought(const Node& node, const SpecifierSet& range, std::size_t target,
                   std::set<std::size_t>& result) const {
    const auto most = rules_.newest > 0 ? rules_.newest : node.candidates.size();
    const auto serving = [&](std::size_t i) -> const Serving* {
      const auto& candidate = node.candidates[i];
      if (node.states[i] == State::unusable || !range.contains(candidate.version)) return nullptr;
      const auto found = std::ranges::find(candidate.servings, target, &Serving::target);
      return found == candidate.servings.end() ? nullptr : &*found;
    };
    bool alone = true;
    for (std::size_t i = 0; i < node.candidates.size() && alone; ++i)
      alone = node.candidates[i].by_name != specs::ByName::no || !serving(i);
    std::size_t count = 0;
    for (const bool with_wheel : {true, false})
      for (std::size_t i = node.candidates.size(); i-- > 0 && count < most;) {
        const auto& candidate = node.candidates[i];
        const auto* served = serving(i);
        if (!served || served->fits != with_wheel ||
            !specs::brings(range, candidate.version, candidate.by_name, alone))
          continue;
        result.insert(i);
        ++count;
      }
  }

  void read(const Picked& picked) {
    std::vector<File> files;
    std::set<std::string> seen;
    for (const auto& [name, i] : picked)
      for (const auto& serving : nodes_.at(name).candidates[i].servings)
        if (seen.insert(serving.file.name).second) files.push_back(serving.file);
    auto metadata = index_.metadata(files);
    Read read;
    for (std::size_t i = 0; i < files.size(); ++i)
      read.emplace(files[i].name, std::move(metadata[i]));
    for (const auto& [name, i] : picked) keep(name, i, read);
  }

  void keep(const std::string& name, std::size_t i, const Read& read) {
    auto& node = nodes_.at(name);
    const auto& candidate = node.candidates[i];
    auto release = release_of(name, candidate, read, targets_);
    node.states[i] = release ? State::kept : State::unusable;
    if (!release) {
      closure_[name].left_out.push_back({candidate.version.text(), release.error()});
      return;
    }
    closure_[name].releases.push_back(*release);
    const auto extras = closure_[name].extras;
    follow(*release, "");
    for (const auto& extra : extras) follow(*release, extra);
  }

  // In order, with the reasons of those that nobody needed.
  void finish() {
    for (auto& [name, project] : closure_) {
      std::ranges::sort(project.releases, {},
                        [](const Release& release) { return release.candidate.version.key(); });
      const auto& node = nodes_.at(name);
      for (std::size_t i = 0; i < node.candidates.size(); ++i)
        if (node.states[i] == State::unread) project.left_out.push_back(unread(node.candidates[i]));
    }
  }

  static LeftOut unread(const Candidate& candidate) {
    const auto version = candidate.version.text();
    switch (candidate.by_name) {
      case specs::ByName::no:
        return {version, "not among the newest that a requirement allows", "import with a larger --newest"};
      case specs::ByName::prerelease:
        return {version, "pre-release", "import with --pre"};
      case specs::ByName::yanked:
        return {version, "yanked", "name that version in the import"};
    }
    return {};
  }

  const Targets& targets_;
  const Rules& rules_;
  Index& index_;
  std::map<std::string, Node> nodes_;
  Closure closure_;
};

bool same(const Dependency& a, const Dependency& b) {
  return a.name == b.name && a.extras == b.extras && a.versions.text() == b.versions.text() &&
         a.url == b.url;
}

}  // namespace

Closure walk(const std::vector<Root>& roots, const Targets& targets, const Rules& rules,
             Index& index) {
  return Walk(roots, targets, rules, index).run();
}

std::vector<Need> needs(const Release& release, const Targets& targets, const std::string& extra) {
  std::vector<Need> result;
  for (std::size_t i = 0; i < release.facts.size(); ++i) {
    const auto target = release.candidate.servings[i].target;
    for (const auto* dependency : holding(release.facts[i], targets[target], extra)) {
      const auto known = std::ranges::find_if(
          result, [&](const Need& need) { return same(*need.dependency, *dependency); });
      if (known == result.end())
        result.push_back({dependency, {target}});
      else if (known->targets.back() != target)
        known->targets.push_back(target);
    }
  }
  return result;
}

}  // namespace stackx::pypi
