#include "advisor/check/look_up.hpp"

#include <algorithm>
#include <map>

#include "advisor/check/world/python_world.hpp"
#include "advisor/check/world/pythons.hpp"
#include "pypi/refresh.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

constexpr std::size_t newest_of_range = 12;

using Ranges = std::map<std::string, std::set<std::string>>;  // package -> what is asked of its versions

// Of each range the newest releases that it allows. A range that stands for itself alone could lie below all that are newest
// of the package: numpy <2.
std::vector<bool> newest_of_each(const std::set<std::string>& ranges, const std::vector<specs::Version>& versions) {
  std::vector<bool> kept(versions.size());
  for (const auto& text : ranges) {
    const auto range = specs::SpecifierSet::parse(text, specs::Versioning::pep440);
    std::size_t left = range ? newest_of_range : 0;
    for (std::size_t at = versions.size(); at-- > 0 && left > 0;)
      if (range->contains(versions[at])) kept[at] = true, --left;
  }
  return kept;
}

// What else is asked of packages that were looked up for other ranges before.
void add_ranges_on_known(const PythonWorld& world, const std::map<std::string, specs::Package>& known, Ranges& wanted) {
  const auto add = [&](const specs::Requirement& one) {
    if (known.contains(one.component)) wanted[one.component].insert(one.constraint.text == "*" ? "" : one.constraint.text);
  };
  for (const auto& root : world.project.requires_) add(root);
  for (const auto& [name, component] : world.catalog.components)
    for (const auto& version : component.versions)
      for (const auto& one : version.requires_) add(one);
}

}  // namespace

std::set<std::string> look_up(Knowledge& knowledge, const Question& question, pypi::Index& index, const std::string& today) {
  std::set<std::string> missing;
  Ranges asked;
  std::map<std::string, specs::Package> known;
  const auto python = question.python.empty() ? likely_pythons(knowledge, question).front() : question.python;
  while (true) {
    const auto world = python_world(knowledge, question, python);
    auto wanted = world.not_held;
    add_ranges_on_known(world, known, wanted);
    bool any = false;
    for (const auto& [name, ranges] : wanted) {
      const auto [of, fresh] = asked.try_emplace(name);
      const auto before = of->second.size();
      of->second.insert(ranges.begin(), ranges.end());
      if (missing.contains(name) || (!fresh && of->second.size() == before)) continue;
      any = true;
      const auto kept = [&](const std::vector<specs::Version>& versions) { return newest_of_each(of->second, versions); };
      const auto earlier = known.find(name);
      auto found = pypi::refresh(name, earlier == known.end() ? std::nullopt : std::optional(earlier->second), today, index, kept);
      if (!found) {
        missing.insert(name);
        continue;
      }
      known[name] = found->package;
      knowledge.add(std::move(found->package));
    }
    if (!any) return missing;
  }
}

}  // namespace stackx::advisor
