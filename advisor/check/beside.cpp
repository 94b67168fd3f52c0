#include "advisor/check/beside.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

using specs::SpecifierSet;
using specs::Version;

// All that is asked of a package; empty: nothing brings it.
std::vector<SpecifierSet> ranges_on(const std::string& name, const Knowledge& knowledge, const Question& question, const specs::Stack& chosen) {
  std::vector<SpecifierSet> ranges;
  const auto add = [&](const specs::Dependency& one) {
    if (knowledge.real_name(one.name) == name && !one.is_of_an_extra()) ranges.push_back(one.versions);
  };
  for (const auto& placed : question.asked) add(placed.dependency);
  for (const auto& [by, version] : chosen.components) {
    const auto* package = knowledge.package(by);
    const auto* release = package ? package->find(specs::pep440_version(version)) : nullptr;
    const auto* asked = release ? knowledge.requirements(by, *release) : nullptr;
    if (asked) std::ranges::for_each(*asked, add);
  }
  if (!ranges.empty())
    for (const auto& placed : question.constraints) add(placed.dependency);
  return ranges;
}

// Versions outside of "<2" that there are, or may be, for that Python.
std::vector<Version> beyond(const std::string& range, const std::string& name, const std::vector<SpecifierSet>& ranges, const Knowledge& knowledge,
                            const std::string& python) {
  std::vector<Version> versions{specs::pep440_version("9999")};
  const auto bound = range.substr(std::min(range.find_first_not_of("<="), range.size()));
  for (const char* later : {"", ".0.1", ".1", ".2", ".3", ".4"})
    if (const auto version = Version::parse(bound + later, specs::Versioning::pep440)) versions.push_back(*version);
  for (const auto& one : ranges)
    if (const auto single = specs::single_version(one); !single.empty()) versions.push_back(specs::pep440_version(single));
  if (const auto* package = knowledge.package(name))
    for (const auto& release : package->releases) versions.push_back(release.version);
  const auto for_python = [&](const Version& one) {
    const auto pythons = knowledge.about(name, one).pythons;
    return python.empty() || pythons.empty() || std::ranges::find(pythons, python) != pythons.end();
  };
  std::erase_if(versions, [&, works = specs::range_or_any(range)](const auto& one) { return works.contains(one) || !for_python(one); });
  return versions;
}

}  // namespace

std::vector<Bound> unbound_beside(const Knowledge& knowledge, const Question& question, const specs::Stack& chosen) {
  std::vector<Bound> bounds;
  const auto python = chosen.components.find("python");
  for (const auto& [name, version] : chosen.components) {
    if (!knowledge.package(name)) continue;
    for (const auto& [other, range] : knowledge.beside(name, version)) {
      const auto is_asked = std::ranges::any_of(question.asked, [&](const auto& placed) { return knowledge.real_name(placed.dependency.name) == other; });
      if (knowledge.package(other) && !is_asked) continue;  // judged by the version that is taken
      const auto ranges = ranges_on(other, knowledge, question, chosen);
      const auto allowed = [&](const Version& one) { return std::ranges::all_of(ranges, [&](const auto& each) { return each.contains(one); }); };
      const auto versions = beyond(range, other, ranges, knowledge, python == chosen.components.end() ? "" : specs::minor_release(python->second));
      const auto is_told = std::ranges::any_of(bounds, [&](const auto& one) { return one.other == other && one.range == range; });
      if (!is_told && !ranges.empty() && std::ranges::any_of(versions, allowed)) bounds.push_back({name, version, other, range});
    }
  }
  return bounds;
}

std::vector<std::string> newer_beside(const Knowledge& knowledge, const Question& question, const specs::Stack& chosen) {
  std::vector<std::string> notes;
  for (const auto& [name, version, other, range] : unbound_beside(knowledge, question, chosen))
    notes.push_back(fmt::format("{0} {1} works with {2} {3} alone: where an installer takes a newer one, ask for \"{2}{3}\", too", name, version, other, range));
  return notes;
}

}  // namespace stackx::advisor
