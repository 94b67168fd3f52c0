#include "watch/space.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/catalog/score.hpp"
#include "specs/format/json.hpp"

namespace stackx::watch {
namespace {

using specs::Kind;

bool is_published(const specs::Component& component) {
  const bool kind = component.kind == Kind::package || component.kind == Kind::runtime || component.kind == Kind::image;
  return kind && component.versioning != specs::Versioning::opaque && !component.open;
}

// numpy+extra stands for numpy itself.
bool is_extra(const std::string& name) { return name.find('+') != name.npos; }

specs::Requirement exactly_that(const specs::Component& component, const std::string& version) {
  const auto operation = component.versioning == specs::Versioning::pep440 ? "===" : "==";
  return specs::parse_requirement(component.name, specs::Node::parse_text(specs::Json(operation + version).dump(), "a version"),
                                  component.versioning);
}

std::map<std::string, std::vector<std::string>> releases_of(const resolver::Resolver& resolver, const specs::Catalog& catalog) {
  std::map<std::string, std::vector<std::string>> result;
  const auto shares = resolver.shares();
  for (const auto& [name, versions] : resolver.components()) {  // ascending
    const auto* component = catalog.find(name);
    const auto held = shares.find(name);
    if (component == nullptr || held == shares.end() || !is_published(*component) || is_extra(name)) continue;
    for (const auto& version : versions)
      if (const auto share = held->second.find(version); share != held->second.end() && share->second > 0) result[name].push_back(version);
  }
  return result;
}

}  // namespace

Space::Space(const specs::Project& project, const specs::Catalog& catalog)
    : project_(project), catalog_(catalog), resolver_(project, catalog), releases_(releases_of(resolver_, catalog)) {}

std::optional<std::string> Space::why_none() const {
  if (const auto why = resolver_.explain()) return why->text();
  return std::nullopt;
}

std::optional<std::string> Space::why_not(const specs::Stack& stack) const {
  for (const auto& [name, version] : stack.components) {
    const auto* component = catalog_.find(name);
    if (component == nullptr || component->find(version) != nullptr) continue;
    for (const auto& group : component->left_out)
      for (const auto& one : group.versions)
        if (one.text() == version) return fmt::format("{} {}: {}", name, version, group.why);
    return fmt::format("{} {} is no longer listed", name, version);
  }
  return resolver::violation(project_, catalog_, stack);
}

std::optional<specs::Stack> Space::newest(const std::function<bool(const specs::Stack&)>& wanted) const {
  constexpr std::size_t most = 1000;
  std::optional<specs::Stack> found;
  std::size_t seen = 0;
  resolver_.best(resolver_.lateness(), [&](const resolver::Choice& choice, specs::Score) {
    auto stack = resolver_.stack(choice);
    if (wanted(stack)) found = std::move(stack);
    return !found && ++seen < most;
  });
  return found;
}

specs::Stack Space::nearest(const specs::Stack& like, const std::string& component, const std::string& version) const {
  auto project = project_;
  const auto pin = exactly_that(*catalog_.find(component), version);
  project.pins.push_back(pin);
  project.requires_.push_back(pin);
  const resolver::Resolver resolver(project, catalog_);
  constexpr specs::Score same = 1'000'000;  // more than all that lateness can cost
  auto scores = resolver.lateness();
  for (auto& [name, of_version] : scores.of) {  // a setting has no newest: the one that is listed first is the usual one
    const auto* setting = catalog_.find(name);
    if (setting == nullptr || setting->kind != Kind::setting) continue;
    for (std::size_t i = 0; i < setting->versions.size(); ++i)
      if (const auto at = of_version.find(setting->versions[i].version.text()); at != of_version.end()) at->second = -static_cast<specs::Score>(i);
  }
  for (const auto& [name, one] : like.components)
    if (const auto found = scores.of.find(name); found != scores.of.end())
      if (const auto at = found->second.find(one); at != found->second.end()) at->second = same;
  specs::Stack stack;
  resolver.best(scores, [&](const resolver::Choice& choice, specs::Score) {
    stack = resolver.stack(choice);
    return false;
  });
  return stack;
}

std::vector<std::string> Space::named_components(const specs::Stack& stack) const {
  std::vector<std::string> names;
  for (const auto& requirement : project_.requires_)
    for (const auto& [name, version] : stack.components) {
      const auto* entry = catalog_.find(name, version);
      const bool stands_for_it = name == requirement.component || (entry != nullptr && entry->provides.contains(requirement.component));
      if (stands_for_it && !is_extra(name) && std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  return names;
}

bool Space::is_alternative(const std::string& component) const {
  const auto* found = catalog_.find(component);
  if (found == nullptr) return false;
  return std::ranges::any_of(found->versions, [&](const specs::VersionEntry& entry) {
    return std::ranges::any_of(project_.requires_, [&](const auto& one) { return entry.provides.contains(one.component); });
  });
}

std::string Space::name_of(const specs::Stack& stack) const {
  constexpr std::size_t most = 3;
  auto names = named_components(stack);
  if (names.size() > 1) std::erase(names, "python");
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most; ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : i == 1 ? " with " : ", ", names[i], stack.components.at(names[i]));
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return text.empty() ? stack.short_id() : text;
}

std::string Space::name_of(const specs::Stack& stack, const specs::Stack& beside) const {
  constexpr std::size_t most = 3;
  const auto text = name_of(stack);
  if (text != name_of(beside)) return text;
  std::vector<std::pair<bool, std::string>> different;  // no setting, words
  const auto add = [&](const std::string& name, const std::string& words) {
    const auto* component = catalog_.find(name);
    different.emplace_back(component == nullptr || component->kind != specs::Kind::setting, words);
  };
  for (const auto& [name, version] : stack.components)
    if (const auto found = beside.components.find(name); found == beside.components.end() || found->second != version)
      add(name, name + " " + version);
  for (const auto& [name, version] : beside.components)
    if (!stack.components.contains(name)) add(name, "no " + name);
  std::ranges::sort(different);
  std::string named = text;
  for (std::size_t i = 0; i < different.size() && i < most; ++i)
    named += (i > 0 || text.find(" with ") != text.npos ? ", " : " with ") + different[i].second;
  return named;
}

}  // namespace stackx::watch
