#include "specs/catalog/open.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "specs/version/version_text.hpp"

namespace stackx::specs {
namespace {

constexpr const char* kAbove = ".0.0.0.1";  // PEP 440: no release that anyone writes lies between

// The ends of a specifier set's clauses, as version texts at which something changes.
void thresholds_of(const std::string& range, std::set<std::string>& found) {
  std::size_t begin = 0;
  while (begin < range.size()) {
    const auto end = std::min(range.find(',', begin), range.size());
    auto clause = range.substr(begin, end - begin);
    begin = end + 1;
    std::erase(clause, ' ');
    const auto at = clause.find_first_not_of("<>=!~");
    if (at == 0 || at == clause.npos) continue;
    const auto operation = clause.substr(0, at);
    auto text = clause.substr(at);
    const bool wildcard = text.ends_with(".*");
    if (wildcard) text.resize(text.size() - 2);
    const auto version = Version::parse(text, Versioning::pep440);
    if (!version) continue;
    found.insert(text);
    if (operation == ">=" || operation == "<") continue;
    if (!wildcard) found.insert(just_above(text));
    if (!wildcard && operation != "~=") continue;
    // ==1.2.* and ~=1.2.3 end where the next 1.3 begins.
    auto prefix = operation == "~=" ? text.substr(0, text.rfind('.')) : text;
    const auto dot = prefix.rfind('.');
    const auto last = prefix.substr(dot == prefix.npos ? 0 : dot + 1);
    if (last.empty() || last.size() > 9 || last.find_first_not_of("0123456789") != last.npos) continue;
    found.insert((dot == prefix.npos ? "" : prefix.substr(0, dot + 1)) + std::to_string(std::stoul(last) + 1));
  }
}

class Thresholds {
 public:
  void take(const Requirement& requirement) {
    if (!requirement.attribute.empty()) return;
    for (const auto& one : requirement.constraint.any) thresholds_of(one.range.text(), of_[requirement.component]);
  }
  void take(const std::vector<Requirement>& requirements) {
    for (const auto& requirement : requirements) take(requirement);
  }
  const std::set<std::string>& of(const std::string& component) { return of_[component]; }

 private:
  std::map<std::string, std::set<std::string>> of_;
};

const auto key_of_entry = [](const VersionEntry& entry) { return entry.version.key(); };
const auto key_of_version = [](const Version& version) { return version.key(); };

// All at once: a list of packages may name ten thousand. Those that are there already stay out.
void add_all(Component& component, std::vector<Version> added) {
  auto& versions = component.versions;
  std::set<std::string_view> known;
  for (const auto& entry : versions) known.insert(entry.version.key());
  std::erase_if(added, [&](const auto& one) { return !known.insert(one.key()).second; });
  if (added.empty()) return;
  std::ranges::sort(versions, {}, key_of_entry);
  std::ranges::sort(added, {}, key_of_version);
  std::vector<VersionEntry> all;
  all.reserve(versions.size() + added.size());
  auto next = added.begin();
  const auto add_below = [&](const VersionEntry* end) {
    for (; next != added.end() && (!end || next->key() < end->version.key()); ++next) {
      all.push_back(all.empty() ? VersionEntry() : all.back());
      all.back().version = *next;
    }
  };
  for (auto& entry : versions) {
    add_below(&entry);
    all.push_back(std::move(entry));
  }
  add_below(nullptr);
  versions = std::move(all);
}

}  // namespace

std::string just_above(const std::string& version) {
  const auto text = public_version(version);
  const auto letter = text.find_first_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
  if (letter == text.npos || letter == 0) return text + kAbove;
  // Of 1.0rc1 the next is 1.0rc2: nothing may be appended to it, and > leaves its post-releases out.
  auto digits = text.size();
  while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9') --digits;
  const auto last = text.substr(digits);
  if (last.empty() || last.size() > 9) return text + (last.empty() ? "1" : "");
  return text.substr(0, digits) + std::to_string(std::stoul(last) + 1);
}

const VersionEntry* add_open(Component& component, const std::string& version) {
  if (!component.open) return nullptr;
  const auto parsed = Version::parse(version, component.versioning);
  if (!parsed) return nullptr;
  if (const auto* known = component.find(version)) return known;
  add_all(component, {*parsed});
  return &*std::ranges::lower_bound(component.versions, parsed->key(), {}, key_of_entry);
}

void split_open(Catalog& catalog, const std::vector<Requirement>& more) {
  const bool any = std::ranges::any_of(catalog.components, [](const auto& one) { return one.second.open; });
  if (!any) return;
  Thresholds thresholds;
  thresholds.take(more);
  for (const auto& [name, component] : catalog.components)
    for (const auto& entry : component.versions) {
      thresholds.take(entry.requires_);
      thresholds.take(entry.conflicts);
      for (const auto& conditional : entry.requires_if) {
        thresholds.take(conditional.if_);
        thresholds.take(conditional.then);
      }
    }
  for (auto& [name, component] : catalog.components) {
    if (!component.open) continue;
    // Below the first listed version nothing is known; where none is listed, everything is alike.
    if (component.versions.empty()) add_open(component, "0");
    if (component.versions.empty()) continue;
    const auto first = std::ranges::min_element(component.versions, {}, key_of_entry)->version;
    std::vector<Version> added;
    for (const auto& text : thresholds.of(name))
      if (const auto version = Version::parse(text, component.versioning); version && !(*version < first))
        added.push_back(*version);
    add_all(component, std::move(added));
  }
}

std::string ranges_in_words(const Component& component, const std::set<std::string>& possible) {
  std::vector<std::string> ranges;
  std::string from;
  bool inside = false;
  const auto shown = [](std::string text) {
    const bool above = text.ends_with(kAbove);
    if (above) text.resize(text.size() - std::string_view(kAbove).size());
    return std::pair(text, above);
  };
  const auto begin_of = [&](const std::string& text) {
    const auto [version, above] = shown(text);
    return version == "0" && !above ? std::string() : (above ? ">" : ">=") + version;
  };
  const auto close = [&](const std::string& text) {
    const auto [version, above] = shown(text);
    ranges.push_back(fmt::format("{}{}{}{}", from, from.empty() ? "" : ",", above ? "<=" : "<", version));
  };
  for (const auto& entry : component.versions) {
    const auto& text = entry.version.text();
    const bool now = possible.contains(text);
    if (now && !inside) from = begin_of(text);
    if (!now && inside) close(text);
    inside = now;
  }
  if (inside) ranges.push_back(from.empty() ? "any" : from);
  return ranges.empty() ? "none" : fmt::format("{}", fmt::join(ranges, " or "));
}

}  // namespace stackx::specs
