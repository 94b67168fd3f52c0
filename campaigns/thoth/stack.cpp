#include "campaigns/thoth/stack.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "pypi/catalog/writer.hpp"
#include "pypi/index/locked_files.hpp"
#include "resolver/resolver.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "workspace/index/pip_index.hpp"
#include "workspace/one_version.hpp"
#include "workspace/output.hpp"

namespace stackx::campaigns {
namespace {

constexpr std::size_t newest = 3;  // versions of a dependency, for each requirement on it

specs::Component package(const std::string& name, const std::string& version) {
  auto result =
      workspace::one_version(name, specs::Kind::package, specs::Versioning::pep440, version, "the lock");
  result.ecosystem = "pypi";
  return result;
}

specs::Lock lock_of(const specs::AmunSpecification& specification, const std::string& python) {
  auto lock = specification.lock(python, Pythons::usual_platform());
  if (!lock)
    throw bad_input(fmt::format(
        "{}: /python/requirements_locked: not there, and nothing else says which versions to "
        "install; lock the Pipfile (pipenv lock), or resolve it anew with --relax python",
        specification.file.string()));
  // Extras name what to install beside a package, and that is locked too.
  std::erase_if(lock->components,
                [](const auto& one) { return one.first.find('+') != one.first.npos; });
  return std::move(*lock);
}

// What the packages lack, in one sentence; the first five.
Refusal refusal(const std::vector<std::pair<std::string, pypi::NoLockedFile>>& missing) {
  using Why = pypi::NoLockedFile::Why;
  const auto any = [&](Why why) {
    return std::ranges::any_of(missing, [&](const auto& one) { return one.second.why == why; });
  };
  const auto outcome = any(Why::other_hashes) ? specs::Outcome::hash_mismatch
                       : any(Why::not_listed) ? specs::Outcome::build_failed
                                              : specs::Outcome::unsupported;
  std::string reason;
  for (std::size_t i = 0; i < std::min<std::size_t>(missing.size(), 5); ++i)
    reason +=
        fmt::format("{}{}: {}", i > 0 ? "; " : "", missing[i].first, missing[i].second.reason);
  if (missing.size() > 5) reason += fmt::format("; and {} packages more", missing.size() - 5);
  return {outcome, reason};
}

}  // namespace

Packages named_packages(const specs::AmunSpecification& specification, const std::string& python) {
  Packages result;
  if (!specification.locked) return result;
  for (const auto& [name, version] : lock_of(specification, python).components)
    result.push_back(package(name, version));
  return result;
}

std::expected<Packages, Refusal> locked_packages(const specs::AmunSpecification& specification,
                                                 const PythonPlace& place,
                                                 const JobOptions& options) {
  const auto lock = lock_of(specification, place.full);
  const specs::Target target(place.full, place.platform);
  std::vector<std::string> names;
  for (const auto& [name, version] : lock.components) names.push_back(name);
  if (names.empty()) return Packages{};
  workspace::PipIndex index({.python = options.pip, .index_url = options.index_url}, options.offline);
  const auto listings = (*index).listings(names);
  Packages result;
  std::vector<std::pair<std::string, pypi::NoLockedFile>> missing;
  for (const auto& [name, version] : lock.components) {
    const auto known = lock.hashes.find(name);
    const auto hashes = known == lock.hashes.end() ? std::vector<std::string>{} : known->second;
    const auto& listing = listings.at(name);
    const auto files =
        pypi::locked_files(name, version, hashes, listing ? *listing : pypi::Listing{}, target);
    result.push_back(package(name, version));
    if (!files) {
      missing.emplace_back(name + " " + version, files.error());
      continue;
    }
    if (hashes.empty())
      workspace::remark("{}: names no hash of {} {}: whatever the index has is taken\n", specification.file.string(), name,
                        version);
    auto& artifacts = result.back().versions.front().artifacts;
    for (const auto& file : files->wheels)
      artifacts.push_back(pypi::artifact_of(specs::ArtifactType::wheel, file));
    for (const auto& file : files->sources)
      artifacts.push_back(pypi::artifact_of(specs::ArtifactType::sdist, file));
  }
  if (!missing.empty()) return std::unexpected(refusal(missing));
  return result;
}

std::expected<Packages, Refusal> resolved_packages(const specs::AmunSpecification& specification,
                                                   const PythonPlace& place,
                                                   const JobOptions& options) {
  if (!specification.requirements)
    throw bad_input(fmt::format(
        "{}: --relax python: there is no Pipfile (/python/requirements) to resolve anew",
        specification.file.string()));
  auto project = *specification.requirements;
  project.python.reset();
  const pypi::Targets targets({place.python}, place.platform);
  std::vector<pypi::Root> roots;
  for (const auto& placed : project.dependencies)
    if (placed.dependency.holds(targets[0].environment()))
      roots.push_back({placed.dependency, {0}});
  pypi::Rules
      rules;  // wheels alone: what would have to be built on a Python it was not made for mostly fails
  rules.newest = newest;
  workspace::PipIndex index({.python = options.pip, .index_url = options.index_url}, options.offline);
  const auto closure = pypi::walk(roots, targets, rules, *index);
  const auto text = pypi::write_catalog(
      closure, targets, {"the requirements, resolved anew", "the package index that pip uses"});
  const auto catalog = specs::parse_catalog(specs::Node::parse_text(text, "the index"));
  specs::PythonContext context;
  context.python = place.python;
  context.platform = Pythons::usual_platform();
  const resolver::Resolver resolver(specs::to_project(project, catalog, context), catalog);
  if (const auto why = resolver.explain())
    return std::unexpected(Refusal{specs::Outcome::unsupported,
                                   fmt::format("on Python {}: {}", place.python, why->text())});
  specs::Stack stack;
  resolver.best(resolver.lateness(), [&](const resolver::Choice& choice, specs::Score) {
    stack = resolver.stack(choice);
    return false;
  });
  Packages result;
  for (const auto& [name, version] : stack.components) {
    const auto& component = *catalog.find(name);
    if (component.kind != specs::Kind::package || name.find('+') != name.npos) continue;
    auto one = package(name, version);
    one.versions = {*component.find(version)};
    one.versions[0].requires_.clear();  // answered: every package is a root
    one.versions[0].requires_if.clear();
    result.push_back(std::move(one));
  }
  return result;
}

}  // namespace stackx::campaigns
