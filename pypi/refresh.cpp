#include "pypi/refresh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "pypi/index/facts.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"

namespace stackx::pypi {
namespace {

using specs::PackageRelease;

struct FoundRelease {
  PackageRelease release;
  std::vector<std::pair<File, specs::WheelTags>> wheels;
  bool all_yanked = true;
};

bool for_linux(const specs::WheelTags& tags) {
  return std::ranges::any_of(tags.platforms, [](const auto& platform) {
    return platform == "any" || platform.starts_with("manylinux") || platform.starts_with("linux_");
  });
}

void only_linux(specs::WheelTags& tags) {
  std::erase_if(tags.platforms, [](const auto& platform) {
    return platform != "any" && !platform.starts_with("manylinux") && !platform.starts_with("linux_");
  });
}

// By the order of versions.
std::map<std::string, FoundRelease> releases_of(const std::string& name, const Listing& listing) {
  std::map<std::string, FoundRelease> releases;
  for (const auto& file : listing.files) {
    auto parsed = specs::parse_file_name(file.name, name);
    if (!file.fault.empty() || !parsed || parsed->version.is_prerelease()) continue;
    if (parsed->wheel && !for_linux(*parsed->wheel)) continue;
    auto& found = releases[std::string(parsed->version.key())];
    auto& release = found.release;
    release.version = *specs::Version::parse(parsed->version.normal(), specs::Versioning::pep440);
    const auto day = file.uploaded.substr(0, 10);
    if (release.uploaded.empty() || (!day.empty() && day < release.uploaded)) release.uploaded = day;
    if (!file.requires_python.empty()) release.requires_python = specs::to_utf8(file.requires_python);
    found.all_yanked = found.all_yanked && file.yanked;
    release.yanked = found.all_yanked;
    if (!parsed->wheel) {
      release.source = true;
      continue;
    }
    only_linux(*parsed->wheel);
    release.wheels.push_back(*parsed->wheel);
    found.wheels.emplace_back(file, std::move(*parsed->wheel));
  }
  return releases;
}

// The wheel that pip would take on a machine of today.
const File* telling(const FoundRelease& found) {
  const auto worth = [](const specs::WheelTags& tags) {
    const auto& platform = tags.platforms.back();
    const auto& python = tags.pythons.back();
    const bool of_cpython = python.starts_with("cp") || python.starts_with("py");
    return std::tuple(of_cpython, platform.ends_with("x86_64") || platform == "any", python.size(), python);
  };
  const File* best = nullptr;
  const specs::WheelTags* best_tags = nullptr;
  for (const auto& [file, tags] : found.wheels)
    if (!best || worth(tags) > worth(*best_tags)) best = &file, best_tags = &tags;
  return best;
}

void read_metadata(std::vector<FoundRelease*>& unread, Index& index, Refreshed& result) {
  std::vector<File> files;
  std::vector<PackageRelease*> of;
  for (auto* found : unread)
    if (const auto* file = telling(*found)) files.push_back(*file), of.push_back(&found->release);
  const auto missed = index.missed().files;
  const auto metadata = index.metadata(files);
  if (index.missed().files > missed) throw broken_environment(index.missed().last);  // what was known stays, for now
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (!metadata[i]) {
      result.unread.push_back(fmt::format("{}: {}", of[i]->version.text(), metadata[i].error()));
      continue;
    }
    if (const auto why = inconsistent(result.package.name, of[i]->version, *metadata[i]); !why.empty()) {
      result.unread.push_back(fmt::format("{}: {}", of[i]->version.text(), why));
      continue;
    }
    of[i]->requires_.emplace();
    for (const auto& one : metadata[i]->requires_dist) of[i]->requires_->push_back(specs::to_utf8(one));
    if (of[i]->requires_python.empty()) of[i]->requires_python = specs::to_utf8(metadata[i]->requires_python);
  }
}

}  // namespace

std::optional<Refreshed> refresh(const std::string& name, const std::optional<specs::Package>& before,
                                 const std::string& today, Index& index, const Wanted& wanted, const std::string& source) {
  const auto listing = index.listings({name}).at(name);
  if (!listing) return std::nullopt;
  Refreshed result{{name, today, source + ": " + name, {}}, {}, {}, false, {}};
  auto found = releases_of(name, *listing);
  if (found.empty() && before && !before->releases.empty())
    throw broken_environment(fmt::format(
        "{}: the index lists no release any more, of {} that were there; a broken mirror? What was known stays", name,
        before->releases.size()));
  if (wanted) {
    std::vector<specs::Version> versions;
    for (const auto& [key, one] : found) versions.push_back(one.release.version);
    const auto kept = wanted(versions);
    std::erase_if(found, [&, at = std::size_t{0}](const auto&) mutable { return !kept[at++]; });
  }
  std::vector<FoundRelease*> unread;
  for (auto& [key, one] : found) {
    const auto* known = before ? before->find(one.release.version) : nullptr;
    if (!known) result.added.push_back(one.release.version.text());
    if (known && one.release.yanked && !known->yanked)
      result.withdrawn.push_back(one.release.version.text());
    if (known) one.release.requires_ = known->requires_;
    if (known && one.release.requires_python.empty()) one.release.requires_python = known->requires_python;
    if (!one.release.requires_) unread.push_back(&one);
  }
  if (before)
    for (const auto& known : before->releases)
      if (!found.contains(std::string(known.version.key()))) result.withdrawn.push_back(known.version.text());
  read_metadata(unread, index, result);
  for (auto& [key, one] : found) result.package.releases.push_back(std::move(one.release));
  if (before) result.package.as_of = before->as_of;
  result.changed = !before || specs::to_text(result.package) != specs::to_text(*before);
  result.package.as_of = today;
  return result;
}

}  // namespace stackx::pypi
