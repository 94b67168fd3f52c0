#include "advisor/recommendation_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "specs/error.hpp"

namespace stackx::advisor {
namespace {

constexpr std::array<std::pair<const char*, RecommendationType>, 4> types{
    {{"performance", RecommendationType::performance},
     {"stable", RecommendationType::stable},
     {"latest", RecommendationType::latest},
     {"security", RecommendationType::security}}};

// A development release, alpha, beta or candidate where the component has releases, too.
void drop_prereleases(specs::Catalog& catalog, Prepared& prepared) {
  for (auto& [name, component] : catalog.components) {
    const auto pre = [](const specs::VersionEntry& entry) { return entry.version.is_prerelease(); };
    if (component.kind != specs::Kind::package || std::ranges::all_of(component.versions, pre))
      continue;
    std::erase_if(component.versions, [&](const specs::VersionEntry& entry) {
      if (pre(entry)) prepared.prereleases.push_back(name + " " + entry.version.text());
      return pre(entry);
    });
  }
  if (!prepared.prereleases.empty())
    prepared.notes.push_back(
        fmt::format("{} pre-releases are left out.", prepared.prereleases.size()));
}

}  // namespace

std::optional<RecommendationType> recommendation_type_from(std::string_view name) {
  for (const auto& [text, type] : types)
    if (text == name) return type;
  return std::nullopt;
}

std::vector<std::string> recommendation_types() {
  std::vector<std::string> names;
  for (const auto& [text, type] : types) names.emplace_back(text);
  return names;
}

std::string Prepared::why_not(const std::string& component, const std::string& version) const {
  for (const auto& one : excluded)
    if (one.component == component && one.version == version)
      return fmt::format("excluded by {} ({})", fmt::join(one.ids, ", "), file);
  if (std::ranges::find(prereleases, component + " " + version) != prereleases.end())
    return "a pre-release";
  return "";
}

Prepared prepare(specs::Catalog& catalog, RecommendationType type,
                 const std::filesystem::path& advisories) {
  Prepared prepared;
  if (type != RecommendationType::security && !advisories.empty())
    throw bad_input("--advisories: belongs to --type security; add that");
  if (type == RecommendationType::stable) drop_prereleases(catalog, prepared);
  if (type != RecommendationType::security) return prepared;
  if (advisories.empty())
    throw bad_input(
        "--type security: needs --advisories FILE, security advisories in the OSV format "
        "(https://ossf.github.io/osv-schema/): no database of them comes with stackx");
  prepared.file = advisories.filename().string();
  prepared.advisories = std::make_shared<const specs::Advisories>(specs::Advisories::load(advisories));
  const auto& read = *prepared.advisories;
  prepared.excluded = specs::exclude(catalog, read);
  prepared.notes.push_back(fmt::format(
      "{}: {} advisories{}; {} versions in the catalogs are listed and left out.",
      advisories.string(), read.size(),
      read.withdrawn() > 0 ? fmt::format(" ({} withdrawn ones ignored)", read.withdrawn()) : "",
      prepared.excluded.size()));
  return prepared;
}

bool steadier(const Steadiness& a, const Steadiness& b) {
  if (a.cv.has_value() != b.cv.has_value()) return a.cv.has_value();
  if (a.cv && *a.cv != *b.cv) return *a.cv < *b.cv;
  return a.inspections > b.inspections;
}

}  // namespace stackx::advisor
