#include "blame/between/platform_lock.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "blame/between/asked_extras.hpp"

namespace stackx::blame {
namespace {

// Of the end's packages: what they require elsewhere, and here.
struct RequiredNames {
  std::set<std::string> elsewhere, here;
};

// Here, with one of the extras.
bool may_hold(const specs::Dependency& dependency, const specs::Target& target, const std::set<std::string>& extras) {
  auto environment = target.environment();
  if (dependency.holds(environment)) return true;
  return std::ranges::any_of(extras, [&](const std::string& extra) {
    environment.variables["extra"] = extra;
    return dependency.holds(environment);
  });
}

RequiredNames required_names(const End& end, const Pythons& pythons, std::size_t python, const LockedPackages& locked) {
  const auto extras = asked_extras(end, pythons, python, locked);
  RequiredNames result;
  for (const auto& [name, version] : end.packages) {
    const auto& facts = locked.at(name).at(version).on.at(python).facts;
    if (!facts) continue;
    for (const auto& dependency : facts->dependencies)
      if (!may_hold(dependency, pythons[python], known_extras(*facts))) result.elsewhere.insert(dependency.name);
    std::set<std::string> asked{""};
    if (const auto found = extras.find(name); found != extras.end()) asked.insert(found->second.begin(), found->second.end());
    for (const auto& extra : asked)
      for (const auto* dependency : pypi::holding(*facts, pythons[python], extra))
        if (dependency->name != name) result.here.insert(dependency->name);
  }
  return result;
}

}  // namespace

void leave_out_other_platforms(End& end, const Pythons& pythons, std::size_t python, const LockedPackages& locked,
                               std::vector<std::string>& notes) {
  if (!end.is_for_all_platforms) return;
  std::set<std::string> left_out;
  const auto at_first = required_names(end, pythons, python, locked);
  for (bool more = true; more;) {
    more = false;
    const auto required = required_names(end, pythons, python, locked);
    std::erase_if(end.packages, [&](const auto& package) {
      const auto& [name, version] = package;
      const bool elsewhere = at_first.elsewhere.contains(name) || !locked.at(name).at(version).missing.empty() ||
                             at_first.here.contains(name);  // by what is left out
      if (required.here.contains(name) || !elsewhere) return false;
      left_out.insert(name);
      return more = true;
    });
  }
  std::vector<std::string> missing;
  for (const auto& [name, version] : end.packages)
    if (const auto& reason = locked.at(name).at(version).missing; !reason.empty()) missing.push_back(reason);
  if (!missing.empty()) refuse_missing(end.text, missing);
  if (!left_out.empty())
    notes.push_back(fmt::format("{}: left out, because nothing requires it on {}: {}", end.text, pythons[python].text(),
                                fmt::join(left_out, ", ")));
}

}  // namespace stackx::blame
