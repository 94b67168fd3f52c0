#include "specs/catalog/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "specs/error.hpp"

namespace stackx::specs {
namespace {

constexpr const char* to_do = "catalogs that declare one component must agree; leave one of them out";

std::string shown(const Json& value) {
  const auto text = value.dump();
  return text.size() <= 200 ? text : to_utf8(text.substr(0, 200)) + "...";
}

[[noreturn]] void differ(const Node& one, const std::string& other, const std::string& file) {
  one.fail(fmt::format("{} here, but {} in {}; {}", shown(one.json()), other, file, to_do));
}

// Absent and empty is the same.
void member_agrees(const Node& a, const Node& b, const std::string& key);

void agree(const Node& a, const Node& b) {
  const auto &one = a.json(), &other = b.json();
  if (one.is_object() && other.is_object()) {
    std::set<std::string> keys;
    for (const auto* node : {&a, &b})
      for (const auto& [key, value] : node->members()) keys.insert(key);
    for (const auto& key : keys) member_agrees(a, b, key);
  } else if (one.is_array() && other.is_array() && one.size() == other.size()) {
    const auto left = a.items(), right = b.items();
    for (std::size_t i = 0; i < left.size(); ++i) agree(left[i], right[i]);
  } else if (one.is_structured() || other.is_structured() || a.scalar() != b.scalar()) {
    differ(a, shown(other), b.file());
  }
}

void member_agrees(const Node& a, const Node& b, const std::string& key) {
  const auto one = a.find(key), other = b.find(key);
  if (one && other) return agree(*one, *other);
  if (one && !one->json().empty()) differ(*one, "nothing", b.file());
  if (other && !other->json().empty()) differ(*other, "nothing", a.file());
}

void facts_agree(const Node& a, const Node& b, const char* key) {
  const auto one = a.find(key), other = b.find(key);
  if (!one || !other) return;
  for (const auto& [name, value] : one->members())
    if (const auto same = other->find(name); same && name != "aliases") agree(value, *same);
}

void same_head(const Declaration& a, const Declaration& b) {
  const auto same = [&](const char* what, const std::string& one, const std::string& other) {
    if (one != other)
      a.node.fail(fmt::format("{} \"{}\" here, but \"{}\" in {}; {}", what, one, other, b.node.file(), to_do));
  };
  same("kind", to_string(a.component.kind), to_string(b.component.kind));
  same("versioning", to_string(a.component.versioning), to_string(b.component.versioning));
  same("ecosystem", a.component.ecosystem, b.component.ecosystem);
  same("open", a.component.open ? "true" : "false", b.component.open ? "true" : "false");
}

const VersionEntry* same_version(const Component& component, const Version& version) {
  const auto found = std::ranges::find(component.versions, version, &VersionEntry::version);
  return found == component.versions.end() ? nullptr : &*found;
}

bool is_installed(const VersionEntry& entry) {
  return !entry.artifacts.empty() &&
         std::ranges::all_of(entry.artifacts, [](const Artifact& one) { return one.type == ArtifactType::path; });
}

// One of them is what the other publishes, where it lies on this machine.
void found_agrees(const Node& a, const Node& b) {
  member_agrees(a, b, "by_name");
  for (const char* key : {"provides", "environment", "parameters"}) facts_agree(a, b, key);
  if (a.find("reports") && b.find("reports")) member_agrees(a, b, "reports");
}

void all_agrees(const Node& a, const Node& b) {
  for (const char* key : {"by_name", "requires", "requires_if", "conflicts", "provides", "artifacts", "environment",
                          "parameters", "reports"})
    member_agrees(a, b, key);
}

void agree(const Declaration& a, const Declaration& b) {
  same_head(a, b);
  const auto one = a.node.at("versions"), other = b.node.at("versions");
  for (const auto& entry : a.component.versions) {
    const auto* same = same_version(b.component, entry.version);
    if (same == nullptr) continue;
    const auto here = one.at(entry.version.text()), there = other.at(same->version.text());
    if (is_installed(entry) != is_installed(*same))
      found_agrees(here, there);
    else
      all_agrees(here, there);
    facts_agree(here, there, "attributes");
  }
}

template <typename List>
void add_missing(List& known, const List& added) {
  for (const auto& one : added)
    if (std::ranges::find(known, one) == known.end()) known.push_back(one);
}

void add_facts(Attributes& known, const Attributes& added) {
  for (const auto& [name, value] : added) {
    auto [same, fresh] = known.emplace(name, value);
    if (fresh || name != "aliases") continue;
    auto* names = std::get_if<std::vector<std::string>>(&same->second);
    const auto* more = std::get_if<std::vector<std::string>>(&value);
    if (names != nullptr && more != nullptr) add_missing(*names, *more);
  }
}

void add_missing(std::vector<Requirement>& known, const std::vector<Requirement>& added) {
  for (const auto& one : added)
    if (std::ranges::find(known, one.text(), &Requirement::text) == known.end()) known.push_back(one);
}

void add_published_or_found(VersionEntry& known, const VersionEntry& added) {
  if (is_installed(added)) known.artifacts = added.artifacts;
  add_missing(known.requires_, added.requires_);
  add_missing(known.conflicts, added.conflicts);
  known.requires_if.insert(known.requires_if.end(), added.requires_if.begin(), added.requires_if.end());
  known.provides.insert(added.provides.begin(), added.provides.end());
  known.environment.insert(added.environment.begin(), added.environment.end());
  known.parameters.insert(added.parameters.begin(), added.parameters.end());
  if (known.reports.empty()) known.reports = added.reports;
}

void add(VersionEntry& known, const VersionEntry& added) {
  add_facts(known.attributes, added.attributes);
  add_missing(known.sources, added.sources);
  if (is_installed(known) != is_installed(added)) add_published_or_found(known, added);
}

void add(Component& known, const Component& added) {
  for (const auto& entry : added.versions) {
    const auto same = std::ranges::find(known.versions, entry.version, &VersionEntry::version);
    if (same == known.versions.end())
      known.versions.push_back(entry);
    else
      add(*same, entry);
  }
  if (known.description.empty()) known.description = added.description;
  known.file += " and " + added.file;
  add_beside_versions(known, added);
}

}  // namespace

void add_beside_versions(Component& known, const Component& added) {
  add_missing(known.aliases, added.aliases);
  add_missing(known.sources, added.sources);
  for (const auto& group : added.left_out) {
    const auto same = std::ranges::find_if(
        known.left_out, [&](const auto& one) { return one.why == group.why && one.to_have == group.to_have; });
    if (same == known.left_out.end())
      known.left_out.push_back(group);
    else
      add_missing(same->versions, group.versions);
  }
  for (auto& group : known.left_out) {
    std::erase_if(group.versions, [&](const Version& version) { return same_version(known, version) != nullptr; });
    std::ranges::stable_sort(group.versions, [](const auto& a, const auto& b) { return a < b; });
  }
}

Component merge(std::vector<Declaration> declarations) {
  std::ranges::sort(declarations, [](const Declaration& a, const Declaration& b) {
    const auto longer = a.component.versions.size() <=> b.component.versions.size();
    return longer != 0 ? longer > 0 : a.component.file < b.component.file;
  });
  for (std::size_t i = 0; i < declarations.size(); ++i)
    for (std::size_t j = i + 1; j < declarations.size(); ++j) agree(declarations[i], declarations[j]);
  auto result = std::move(declarations.front().component);
  for (std::size_t i = 1; i < declarations.size(); ++i) add(result, declarations[i].component);
  return result;
}

}  // namespace stackx::specs
