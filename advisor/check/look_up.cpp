#include "advisor/check/look_up.hpp"

#include <algorithm>

#include "advisor/check/world/python_world.hpp"
#include "advisor/check/world/pythons.hpp"
#include "pypi/refresh.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

constexpr std::size_t newest = 12;  // releases of a package, beside those that are named

bool allows(const std::set<std::string>& ranges, const specs::Version& version, bool alone) {
  return std::ranges::any_of(ranges, [&](const auto& text) {
    const auto range = specs::SpecifierSet::parse(text, specs::Versioning::pep440);
    return range && (!alone || !specs::single_version(*range).empty()) && range->contains(version);
  });
}

}  // namespace

std::set<std::string> look_up(Knowledge& knowledge, const Question& question, pypi::Index& index, const std::string& today) {
  std::set<std::string> asked, missing;
  const auto python = question.python.empty() ? likely_pythons(knowledge, question).front() : question.python;
  while (true) {
    const auto world = python_world(knowledge, question, python);
    bool any = false;
    for (const auto& [name, ranges] : world.not_held) {
      if (!asked.insert(name).second) continue;
      any = true;
      const auto wanted = [&](const specs::Version& version, std::size_t newer) {
        return allows(ranges, version, newer >= newest);
      };
      if (auto found = pypi::refresh(name, std::nullopt, today, index, wanted)) knowledge.add(std::move(found->package));
      else missing.insert(name);
    }
    if (!any) return missing;
  }
}

}  // namespace stackx::advisor
