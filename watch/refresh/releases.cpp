#include "watch/refresh/releases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "pypi/catalog/candidates.hpp"
#include "specs/error.hpp"
#include "specs/version/version.hpp"

namespace stackx::watch {
namespace {

using specs::Json;
using specs::Versioning;

// The newest version of a component, where it is a wheel of the index.
struct KnownRelease {
  std::string component, package, version;
  specs::Version parsed;
  const Json* entry;
  const Json* artifact;
};

std::optional<KnownRelease> newest_known(const std::string& name, const Json& component) {
  if (component.value("kind", "") != "package" || component.value("versioning", "pep440") != "pep440" || !component.contains("versions"))
    return std::nullopt;
  std::optional<KnownRelease> newest;
  for (const auto& [text, entry] : component["versions"].items()) {
    const auto version = specs::Version::parse(text, Versioning::pep440);
    if (version && (!newest || *version > newest->parsed)) newest = KnownRelease{name, name, text, *version, &entry, nullptr};
  }
  if (!newest || !newest->entry->contains("artifacts")) return std::nullopt;
  for (const auto& artifact : (*newest->entry)["artifacts"])
    if (artifact.value("type", "") == "wheel") newest->artifact = &artifact;
  if (newest->artifact == nullptr || newest->artifact->contains("package_version")) return std::nullopt;
  newest->package = specs::normalized_name(newest->artifact->value("package", name));
  return newest;
}

const pypi::File* file_called(const pypi::Listing& listing, const std::string& name) {
  const auto found = std::ranges::find(listing.files, name, &pypi::File::name);
  return found == listing.files.end() ? nullptr : &*found;
}

std::set<std::string> requirements_of(const pypi::Metadata& metadata) {
  std::set<std::string> all;  // not which Python: that says nothing of a library in C
  for (const auto& text : metadata.requires_dist) {
    const auto parsed = specs::parse_dependency(text);
    all.insert(parsed ? parsed->name : text);
  }
  return all;
}

Json entry_of(const KnownRelease& known, const pypi::File& file, const std::string& version) {
  Json entry = *known.entry;
  Json artifact = *known.artifact;
  artifact["file"] = file.name;
  artifact["sha256"] = file.sha256;
  artifact.erase("size");
  if (file.size > 0) artifact["size"] = file.size;
  entry["artifacts"] = Json::array({artifact});
  if (entry.contains("provides"))
    for (auto& [name, provided] : entry["provides"].items()) provided = following(provided.get<std::string>(), known.version, version);
  if (entry.contains("reports")) entry["reports"] = following(entry["reports"].get<std::string>(), known.version, version);
  entry.erase("sources");
  return entry;
}

class Looking {
 public:
  Looking(const Json& components, pypi::Index& index, const std::string& platform) : index_(index), platform_(platform) {
    for (const auto& [name, component] : components.items())
      if (auto known = newest_known(name, component)) known_.push_back(*std::move(known));
  }

  bool has_any() const { return !known_.empty(); }

  NewReleases look(const Json& components, const std::string& today) {
    NewReleases result;
    std::vector<std::string> packages;
    for (const auto& one : known_) packages.push_back(one.package);
    std::map<std::string, std::string> faults;
    const auto listings = index_.listings(packages, &faults);
    Json found = Json::object();
    for (const auto& known : known_) {
      const auto listing = listings.find(known.package);
      if (listing == listings.end() || !listing->second) continue;
      const auto entries = newer(known, *listing->second, result);
      for (const auto& [version, entry] : entries.items()) {
        auto& component = found[known.component];
        component["kind"] = components[known.component]["kind"];
        component["versions"][version] = entry;
        result.added.push_back(fmt::format("{} {}", known.component, version));
      }
    }
    if (!found.empty())
      result.overlay = {{"$schema", "stackx/catalog/1"},
                        {"description", "Releases that the catalog does not know: taken to be like the newest that it knows"},
                        {"source", fmt::format("PyPI simple index, as configured for pip (read {})", today)},
                        {"overlay", true},
                        {"components", found}};
    return result;
  }

 private:
  Json newer(const KnownRelease& known, const pypi::Listing& listing, NewReleases& result) {
    Json entries = Json::object();
    const pypi::Targets targets({"3.11"}, platform_);
    const auto candidates = pypi::choose(known.package, listing, {pypi::Ranges{}}, targets, {});
    const auto* before = file_called(listing, known.artifact->value("file", ""));
    for (const auto& one : candidates.kept) {
      if (one.by_name != specs::ByName::no || !(one.version > known.parsed)) continue;
      const auto& file = one.servings.front().file;
      const auto name = fmt::format("{} {}", known.component, one.version.text());
      if (file.sha256.empty())
        result.skipped.push_back(name + ": the index states no hash of its wheel");
      else if (before == nullptr)
        result.skipped.push_back(fmt::format("{}: the index no longer has {}, which it would be held against", name, known.version));
      else if (!requires_the_same(*before, file))
        result.skipped.push_back(fmt::format("{}: it requires other packages than {} does; the catalog's keeper knows what that means", name, known.version));
      else
        entries[one.version.text()] = entry_of(known, file, one.version.text());
    }
    return entries;
  }

  bool requires_the_same(const pypi::File& a, const pypi::File& b) {
    const auto both = index_.metadata({a, b});
    return both[0] && both[1] && requirements_of(*both[0]) == requirements_of(*both[1]);
  }

  pypi::Index& index_;
  std::string platform_;
  std::vector<KnownRelease> known_;
};

}  // namespace

std::string following(const std::string& text, const std::string& of_version, const std::string& now) {
  if (text == of_version) return now;
  if (text.empty() || !of_version.starts_with(text + ".")) return text;
  std::size_t at = 0;
  for (auto parts = std::ranges::count(text, '.') + 1; parts > 0 && at != now.npos; --parts) at = now.find('.', at == 0 ? 0 : at + 1);
  return now.substr(0, at);
}

NewReleases new_releases(const specs::Node& catalog, pypi::Index& index, const std::string& platform, const std::string& today) {
  const Json& components = catalog.json().at("components");
  Looking looking(components, index, platform);
  return looking.has_any() ? looking.look(components, today) : NewReleases{};
}

}  // namespace stackx::watch
