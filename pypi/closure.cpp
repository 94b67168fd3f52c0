#include "pypi/closure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/error.hpp"

namespace stackx::pypi {
namespace {

using specs::Dependency;
using specs::SpecifierSet;
using specs::Versioning;

// Why this version cannot stand in a catalog, or "".
std::string unusable(const std::string& name, const Release& release, const specs::Target& target) {
  for (const auto* dependency : dependencies(release, target, "")) {
    if (!dependency->url.empty()) return fmt::format("requires {} by URL", dependency->name);
    if (dependency->name == name && !dependency->versions.contains(release.candidate.version))
      return "requires another version of itself";
  }
  return "";
}

std::expected<Release, std::string> release_of(const std::string& name, const Candidate& candidate,
                                               const Metadata& metadata, const specs::Target& target) {
  Release release{candidate, candidate.file.requires_python, metadata.authoritative, {}};
  if (release.requires_python.empty()) release.requires_python = metadata.requires_python;
  const auto python = SpecifierSet::parse(release.requires_python, Versioning::pep440);
  if (!python || python->is_any()) release.requires_python.clear();
  if (python && !python->contains(target.python_version()))
    return std::unexpected("needs another Python");
  for (const auto& text : metadata.requires_dist) {
    auto dependency = specs::parse_dependency(text);
    if (!dependency)
      return std::unexpected(fmt::format("\"{}\" is not PEP 508: column {}: {}", text,
                                         dependency.error().column, dependency.error().reason));
    release.dependencies.push_back(std::move(*dependency));
  }
  const auto reason = unusable(name, release, target);
  if (!reason.empty()) return std::unexpected(reason);
  return release;
}

class Walk {
 public:
  Walk(const std::vector<Dependency>& roots, const specs::Target& target, const Rules& rules, Index& index)
      : target_(target), rules_(rules), index_(index) {
    for (const auto& root : roots) {
      const auto [known, fresh] = ranges_.emplace(root.name, root.versions);
      if (!fresh) throw bad_input(fmt::format("{} is asked for twice; name it once", root.name));
      want(root);
    }
  }

  Closure run() {
    while (!unread_.empty()) {
      const std::vector<std::string> names(unread_.begin(), unread_.end());
      unread_.clear();
      read(names);
      while (!unvisited_.empty()) {
        const auto [name, extra] = unvisited_.back();
        unvisited_.pop_back();
        visit(name, extra);
      }
    }
    return std::move(closure_);
  }

 private:
  // A project, and its extras; "" stands for the project without any.
  void want(const Dependency& dependency) {
    if (!closure_.contains(dependency.name)) {
      closure_[dependency.name];
      unread_.insert(dependency.name);
    }
    auto& extras = closure_[dependency.name].extras;
    for (const auto& extra : dependency.extras)
      if (extras.insert(extra).second && !unread_.contains(dependency.name))
        unvisited_.emplace_back(dependency.name, extra);
  }

  void read(const std::vector<std::string>& names) {
    const auto listings = index_.listings(names);
    std::vector<File> files;
    std::vector<std::pair<std::string, Candidate>> candidates;
    for (const auto& name : names) {
      const auto& listing = listings.at(name);
      const auto root = ranges_.find(name);
      if (!listing && root != ranges_.end())
        throw bad_input(fmt::format(
            "{}: the package index has no such project; is it spelt right, and is it on the index "
            "that `pip config list` names?",
            name));
      if (!listing) continue;
      const auto range = root == ranges_.end() ? SpecifierSet() : root->second;
      auto found = choose(name, *listing, range, target_, rules_);
      closure_[name].known = true;
      closure_[name].left_out = std::move(found.left_out);
      for (auto& candidate : found.kept) {
        files.push_back(candidate.file);
        candidates.emplace_back(name, std::move(candidate));
      }
    }
    const auto metadata = index_.metadata(files);
    for (std::size_t i = 0; i < files.size(); ++i) {
      const auto& [name, candidate] = candidates[i];
      auto& project = closure_[name];
      auto release = metadata[i] ? release_of(name, candidate, *metadata[i], target_)
                                 : std::unexpected(metadata[i].error());
      if (release)
        project.releases.push_back(std::move(*release));
      else
        project.left_out.push_back({candidate.version.text(), release.error()});
    }
    for (const auto& name : names) {
      unvisited_.emplace_back(name, "");
      for (const auto& extra : closure_[name].extras) unvisited_.emplace_back(name, extra);
    }
  }

  void visit(const std::string& name, const std::string& extra) {
    const auto releases = closure_[name].releases;  // a copy: want() adds to the closure
    for (const auto& release : releases)
      for (const auto* dependency : dependencies(release, target_, extra)) want(*dependency);
  }

  const specs::Target& target_;
  const Rules& rules_;
  Index& index_;
  std::map<std::string, SpecifierSet> ranges_;  // asked of the roots
  Closure closure_;
  std::set<std::string> unread_;
  std::vector<std::pair<std::string, std::string>> unvisited_;
};

}  // namespace

Closure walk(const std::vector<Dependency>& roots, const specs::Target& target, const Rules& rules,
             Index& index) {
  return Walk(roots, target, rules, index).run();
}

std::vector<const Dependency*> dependencies(const Release& release, const specs::Target& target,
                                            const std::string& extra) {
  const auto& plain = target.environment();
  auto with_extra = plain;
  if (!extra.empty()) with_extra.variables["extra"] = extra;
  std::vector<const Dependency*> result;
  for (const auto& dependency : release.dependencies) {
    const bool always = dependency.holds(plain);
    if (extra.empty() ? always : !always && dependency.holds(with_extra))
      result.push_back(&dependency);
  }
  return result;
}

}  // namespace stackx::pypi
