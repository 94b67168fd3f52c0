#include "advisor/check/world/open_packages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/error.hpp"

namespace stackx::advisor {
namespace {

using specs::Requirement;
using specs::VersionEntry;

// Pairs of a requirement and a version: of more, which nobody's list has, the resolver makes hours.
constexpr std::size_t most_held = 4'000'000;
[[noreturn]] void refuse(const std::string& name, std::size_t count, const Knowledge& knowledge, const Question& question) {
  const auto at = std::ranges::find_if(
      question.asked, [&](const auto& one) { return knowledge.real_name(one.dependency.name) == name; });
  throw bad_input(fmt::format(
      "{}{}: {} requirements on it that no version meets are more than can be judged; leave some out",
      at == question.asked.end() ? "" : at->place + ": ", name, count));
}

// By name: a list of packages may have ten thousand that no catalog holds.
std::map<std::string, std::vector<const Requirement*>> requirements_of_open(const PythonWorld& world) {
  std::map<std::string, std::vector<const Requirement*>> found;
  for (const auto& [name, component] : world.catalog.components)
    if (component.open && name != "driver") found[name];
  const auto take = [&](const std::vector<Requirement>& requirements) {
    for (const auto& one : requirements)
      if (const auto of = found.find(one.component); of != found.end() && one.attribute.empty())
        of->second.push_back(&one);
  };
  for (const auto& [name, component] : world.catalog.components)
    for (const auto& entry : component.versions) take(entry.requires_);
  take(world.project.requires_);
  take(world.project.pins);
  return found;
}

}  // namespace

void drop_what_says_nothing(PythonWorld& world, const Knowledge& knowledge, const Question& question) {
  const auto of_open = requirements_of_open(world);
  std::set<std::string> silent;
  std::size_t held = 0;
  for (const auto& [name, requirements] : of_open) {
    const auto suits_all = [&](const VersionEntry& entry) {
      return std::ranges::all_of(requirements, [&](const auto* one) {
        if (++held > most_held) refuse(name, requirements.size(), knowledge, question);
        return specs::holds(one->constraint, entry.version);
      });
    };
    const auto& versions = world.catalog.find(name)->versions;
    if (std::ranges::any_of(versions, suits_all))
      silent.insert(name);
    else if ((held += requirements.size() * versions.size()) > most_held)
      refuse(name, requirements.size(), knowledge, question);
  }
  const auto is_silent = [&](const Requirement& one) { return silent.contains(one.component); };
  for (auto& [name, component] : world.catalog.components)
    for (auto& entry : component.versions) std::erase_if(entry.requires_, is_silent);
  std::erase_if(world.project.requires_, is_silent);
  std::erase_if(world.project.pins, is_silent);
  std::erase_if(world.catalog.components, [&](const auto& one) { return silent.contains(one.first); });
  std::erase_if(world.order, [&](const auto& name) { return silent.contains(name); });
}

}  // namespace stackx::advisor
