#include "pypi/candidates.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

namespace stackx::pypi {
namespace {

using specs::SpecifierSet;
using specs::Version;
using specs::Versioning;

struct Release {
  Version version;
  std::vector<std::pair<File, std::optional<specs::WheelTags>>> files;  // usable ones
  std::string reason;                                            // why the last file was not
};

// An invalid Requires-Python says nothing, as for pip.
bool python_fits(const std::string& requires_python, const specs::Target& target) {
  const auto range = SpecifierSet::parse(requires_python, Versioning::pep440);
  return !range || range->contains(target.python_version());
}

bool pins(const SpecifierSet& range, const Version& version) {
  const auto& text = range.text();
  return text.starts_with("==") && text.find_first_of(",*") == text.npos && range.contains(version);
}

std::string unusable(const File& file, const Version& version, const SpecifierSet& range,
                     const specs::Target& target, const Rules& rules) {
  if (!range.contains(version)) return "outside of the range asked for";
  if (!rules.before.empty() && file.uploaded.empty())
    return "the index does not say when it was uploaded";
  if (!rules.before.empty() && file.uploaded >= rules.before)
    return "uploaded on " + rules.before + " or later";
  if (!python_fits(file.requires_python, target)) return "needs another Python";
  if (file.yanked && !pins(range, version)) return "yanked";
  return "";
}

// Keys order as versions do.
std::map<std::string, Release> releases_of(const std::string& name, const Listing& listing,
                                           const SpecifierSet& range, const specs::Target& target,
                                           const Rules& rules, std::vector<LeftOut>& left_out) {
  std::map<std::string, Release> releases;
  for (const auto& file : listing.files) {
    const auto parsed = specs::parse_file_name(file.name, name);
    if (!parsed) {
      if (parsed.error().starts_with("version")) left_out.push_back({file.name, parsed.error()});
      continue;  // eggs, installers, signatures: nothing that pip takes
    }
    auto& release = releases[std::string(parsed->version.key())];
    release.version = *Version::parse(parsed->version.normal(), Versioning::pep440);
    const auto reason = unusable(file, release.version, range, target, rules);
    if (reason.empty())
      release.files.emplace_back(file, parsed->wheel);
    else
      release.reason = reason;
  }
  return releases;
}

// Of wheels for something else: for this platform first, then the latest Python.
auto closeness(const File& file, const specs::WheelTags& tags, const specs::Target& target) {
  const auto& python = tags.pythons.back();
  return std::tuple(target.fits_platform(tags), python.size(), python, file.name);
}

// "cp36" -> "==3.6.*", "py2" -> "==2.*", anything else -> ""
std::string python_range(const std::string& tag) {
  const bool known = tag.starts_with("cp") || tag.starts_with("py");
  if (!known || tag.size() < 3 || tag.find_first_not_of("0123456789", 2) != tag.npos) return "";
  if (tag.size() == 3) return fmt::format("=={}.*", tag[2]);
  return fmt::format("=={}.{}.*", tag[2], tag.substr(3));
}

// Of the wheels for this platform.
std::vector<std::string> other_pythons(const Release& release, const specs::Target& target) {
  std::set<std::string> ranges;
  for (const auto& [file, tags] : release.files)
    if (tags && target.fits_platform(*tags))
      for (const auto& tag : tags->pythons)
        if (const auto range = python_range(tag); !range.empty()) ranges.insert(range);
  return {ranges.begin(), ranges.end()};
}

std::optional<Candidate> candidate(const Release& release, const specs::Target& target, Files allowed) {
  const File *best = nullptr, *other = nullptr, *source = nullptr;
  const specs::WheelTags* other_tags = nullptr;
  std::pair<int, std::string> best_rank;
  for (const auto& [file, tags] : release.files) {
    if (!tags) {
      if (!source || file.name.ends_with(".tar.gz")) source = &file;
    } else if (const auto rank = target.rank(*tags)) {
      const std::pair key(*rank, file.name);
      if (!best || key < best_rank) best = &file, best_rank = key;
    } else if (!other || closeness(file, *tags, target) > closeness(*other, *other_tags, target)) {
      other = &file, other_tags = &*tags;
    }
  }
  if (best) return Candidate{release.version, *best};
  if (allowed == Files::wheels) return std::nullopt;
  if (source) return Candidate{release.version, other ? *other : *source, false};
  if (allowed == Files::sdists) return std::nullopt;
  const auto pythons = other_pythons(release, target);
  if (pythons.empty()) return std::nullopt;
  return Candidate{release.version, *other, false, pythons};
}

void drop_prereleases(Candidates& all, const SpecifierSet& range) {
  const auto wanted = [&](const Candidate& candidate) {
    return !candidate.version.is_prerelease() ||
           (!range.is_any() && range.contains(candidate.version, specs::Prereleases::by_rule));
  };
  if (std::none_of(all.kept.begin(), all.kept.end(), wanted)) return;
  std::erase_if(all.kept, [&](const Candidate& candidate) {
    if (wanted(candidate)) return false;
    all.left_out.push_back({candidate.version.text(), "pre-release"});
    return true;
  });
}

}  // namespace

Candidates choose(const std::string& name, const Listing& listing, const SpecifierSet& range,
                  const specs::Target& target, const Rules& rules) {
  Candidates result;
  for (const auto& [key, release] :
       releases_of(name, listing, range, target, rules, result.left_out)) {
    if (auto found = candidate(release, target, rules.files)) {
      result.kept.push_back(std::move(*found));
      continue;
    }
    const bool nothing = release.files.empty();
    result.left_out.push_back(
        {release.version.text(), nothing ? release.reason : "no wheel for the target"});
  }
  if (!rules.prereleases) drop_prereleases(result, range);
  return result;
}

}  // namespace stackx::pypi
