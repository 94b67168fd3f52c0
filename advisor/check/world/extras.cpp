#include "advisor/check/world/extras.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/check/world/demands.hpp"
#include "advisor/check/world/pythons.hpp"
#include "advisor/facts/frameworks.hpp"
#include "advisor/facts/system_libraries.hpp"
#include "specs/python/wheel_target.hpp"

namespace stackx::advisor {

using specs::Package;
using specs::PackageRelease;

// On any Python.
bool Extras::brings_something(const Package& package, const PackageRelease& release, const std::string& extra) const {
  if (!knowledge_.about(package.name, release.version, extra).requires_.empty()) return true;
  const auto* dependencies = knowledge_.requirements(package.name, release);
  return dependencies && std::ranges::any_of(known_pythons(), [&](const auto& python) {
    auto with = specs::Target(python, "linux " + question_.machine).environment(), without = with;
    with.variables["extra"] = extra, without.variables["extra"] = "";
    return std::ranges::any_of(*dependencies, [&](const auto& one) { return one.holds(with) && !one.holds(without); });
  });
}

const Extras::Span& Extras::span(const Package& package, const std::string& extra) const {
  const auto [at, fresh] = spans_.try_emplace({package.name, extra}, Span{nullptr, nullptr});
  if (!fresh) return at->second;
  const auto brings = [&](const auto& release) { return brings_something(package, release, extra); };
  const auto& releases = package.releases;
  if (const auto first = std::ranges::find_if(releases, brings); first != releases.end()) at->second.first = &*first;
  if (const auto last = std::find_if(releases.rbegin(), releases.rend(), brings); last != releases.rend()) at->second.last = &*last;
  return at->second;
}

std::string Extras::failure(const Package& package, const PackageRelease& release, const std::string& extra) const {
  if (auto fails = knowledge_.about(package.name, release.version, extra, question_.machine).fails; !fails.empty()) return fails;
  if (!question_.known_only && vendor_of_extra(extra).empty()) return "";
  return is_missing(package, release, extra) ? lacking(package, release, extra) : "";
}

bool Extras::is_missing(const Package& package, const PackageRelease& release, const std::string& extra) const {
  return knowledge_.requirements(package.name, release) && !brings_something(package, release, extra) && span(package, extra).first;
}

std::string Extras::lacking(const Package& package, const PackageRelease& release, const std::string& extra) const {
  const auto& [first, last] = span(package, extra);
  const auto words = fmt::format("it has no extra {}", extra);
  if (const auto name = new_name(package, release, extra); !name.empty()) return fmt::format("{}, which is called {} now", words, name);
  if (release.version > last->version) return fmt::format("{}, which was last in {}", words, last->version.text());
  if (release.version > first->version) return words;
  const auto system = fact_for(knowledge_, package.name, release.version, question_).system;
  return fmt::format("{}, which came with {}{}", words, first->version.text(),
                     system.empty() ? "" : fmt::format("; without, it loads {} of the system", in_words(system)));
}

// What the release brings for the same vendor's accelerators, where older ones called it so.
std::string Extras::new_name(const Package& package, const PackageRelease& release, const std::string& extra) const {
  const auto vendor = vendor_of_extra(extra);
  if (vendor.empty() || release.version < span(package, extra).last->version) return "";
  const auto now = specs::parse_dependency(instead_for(knowledge_.about(package.name, release.version), vendor));
  if (!now || now->name != package.name) return "";
  for (const auto& other : now->extras)
    if (other != extra && vendor_of_extra(other) == vendor && brings_something(package, release, other)) return other;
  return "";
}

}  // namespace stackx::advisor
