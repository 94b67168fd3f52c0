#include "pypi/catalog/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <map>
#include <set>
#include <tuple>

#include "specs/format/names.hpp"
#include "specs/format/printable.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::pypi {
namespace {

using specs::ByName;
using specs::Version;
using specs::Versioning;

using FileList = std::vector<std::pair<File, std::optional<specs::WheelTags>>>;

struct FoundFiles {
  Version version;
  FileList files, yanked;  // usable ones
  LeftOut why;           // the last file was not
};

// An invalid Requires-Python says nothing, as for pip.
bool python_fits(const std::string& requires_python, const specs::Target& target) {
  return specs::range_or_any(requires_python).contains(target.python_version());
}

// The user's ranges name it.
bool names(const Ranges& ranges, const Version& version, ByName by_name) {
  return std::ranges::any_of(ranges, [&](const auto& range) {
    return range.contains(version) && specs::brings(range, version, by_name, false);
  });
}

bool contains(const Ranges& ranges, const Version& version) {
  return ranges.empty() ||
         std::ranges::any_of(ranges, [&](const auto& range) { return range.contains(version); });
}

// The version's name is not known here: it stands in the result.
LeftOut unusable(const File& file, const Version& version, const Ranges& ranges,
                 const specs::Target& target, const Rules& rules) {
  if (!file.fault.empty()) return {"", file.fault};
  if (!contains(ranges, version)) return {"", "outside of the range asked for", "import it without that range"};
  if (!rules.before.empty() && file.uploaded.empty())
    return {"", "the index does not say when it was uploaded", "import without --before"};
  if (!rules.before.empty() && file.uploaded >= rules.before)
    return {"", "uploaded on " + rules.before + " or later", "import with a later --before"};
  if (!python_fits(file.requires_python, target))
    return {"", "needs another Python", fmt::format("take a Python {} (--python)", specs::printable(file.requires_python))};
  return {};
}

// A stranger's words, where a version's would stand.
std::string shown(const std::string& file_name) {
  constexpr std::size_t most = 200;
  return specs::printable(file_name.substr(0, most)) + (file_name.size() > most ? "..." : "");
}

// Keys order as versions do.
std::map<std::string, FoundFiles> releases_of(const std::string& name, const Listing& listing,
                                           const Ranges& ranges, const specs::Target& target,
                                           const Rules& rules, std::vector<LeftOut>& left_out) {
  std::map<std::string, FoundFiles> releases;
  for (const auto& file : listing.files) {
    const auto parsed = specs::parse_file_name(file.name, name);
    if (!parsed) {
      if (parsed.error().starts_with("version")) left_out.push_back({shown(file.name), parsed.error()});
      continue;  // eggs, installers, signatures: nothing that pip takes
    }
    const auto version = parsed->version.normal();
    if (const auto wrong = specs::version_text_error(version); !wrong.empty()) {
      left_out.push_back({shown(file.name), wrong});
      continue;
    }
    auto& release = releases[std::string(parsed->version.key())];
    release.version = *Version::parse(version, Versioning::pep440);
    auto why = unusable(file, release.version, ranges, target, rules);
    if (!why.reason.empty())
      release.why = std::move(why);
    else if (file.yanked && !names(ranges, release.version, ByName::yanked))
      release.yanked.emplace_back(file, parsed->wheel);
    else
      release.files.emplace_back(file, parsed->wheel);
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
std::vector<std::string> other_pythons(const FileList& files, const specs::Target& target) {
  std::set<std::string> ranges;
  for (const auto& [file, tags] : files)
    if (tags && target.fits_platform(*tags))
      for (const auto& tag : tags->pythons)
        if (const auto range = python_range(tag); !range.empty()) ranges.insert(range);
  return {ranges.begin(), ranges.end()};
}

// What a version is for one target.
struct Choice {
  Version version;
  File file;
  bool fits = true;
  std::optional<File> source = {};
  std::vector<std::string> pythons = {};  // as in Candidate
  ByName by_name = ByName::no;
};

std::expected<Choice, LeftOut> choice(const Version& version, const FileList& files, const specs::Target& target,
                                      const Rules& rules) {
  const File *best = nullptr, *other = nullptr, *source = nullptr;
  const specs::WheelTags* other_tags = nullptr;
  std::pair<int, std::string> best_rank;
  for (const auto& [file, tags] : files) {
    if (!tags) {
      if (!source || file.name.ends_with(".tar.gz")) source = &file;
    } else if (const auto rank = target.rank(*tags)) {
      const std::pair key(*rank, file.name);
      if (!best || key < best_rank) best = &file, best_rank = key;
    } else if (!other || closeness(file, *tags, target) > closeness(*other, *other_tags, target)) {
      other = &file, other_tags = &*tags;
    }
  }
  if (best) return Choice{version, *best};
  const LeftOut none{version.text(), "no wheel for the target",
                     source && rules.files == Files::wheels ? "take source archives (stackx catalog import pypi --files sdists)" : ""};
  if (rules.files == Files::wheels) return std::unexpected(none);
  if (source) {
    const auto built = rules.sources ? std::optional(*source) : std::nullopt;
    return Choice{version, other ? *other : *source, false, built};
  }
  if (rules.files == Files::sdists) return std::unexpected(none);
  const auto pythons = other_pythons(files, target);
  if (pythons.empty()) return std::unexpected(none);
  return Choice{version, *other, false, {}, pythons};
}

std::expected<Choice, LeftOut> choice(const FoundFiles& release, const specs::Target& target, const Rules& rules) {
  if (release.files.empty() && release.yanked.empty())
    return std::unexpected(LeftOut{release.version.text(), release.why.reason, release.why.to_have});
  auto found = choice(release.version, release.files, target, rules);
  if (found || release.yanked.empty()) return found;
  auto yanked = choice(release.version, release.yanked, target, rules);
  if (yanked) yanked->by_name = ByName::yanked;
  return yanked;
}

struct Choices {
  std::vector<Choice> kept;
  std::vector<LeftOut> left_out;
};

void mark_prereleases(std::vector<Choice>& all, const Ranges& ranges) {
  const auto wanted = [&](const Choice& one) {
    return !one.version.is_prerelease() || names(ranges, one.version, ByName::prerelease);
  };
  if (std::ranges::none_of(all, wanted)) return;
  for (auto& one : all)
    if (!wanted(one) && one.by_name == ByName::no) one.by_name = ByName::prerelease;
}

Choices choose_for(const specs::Target& target, const std::string& name, const Listing& listing,
                   const Ranges& ranges, const Rules& rules) {
  Choices result;
  for (const auto& [key, release] :
       releases_of(name, listing, ranges, target, rules, result.left_out)) {
    auto found = choice(release, target, rules);
    if (found)
      result.kept.push_back(std::move(*found));
    else
      result.left_out.push_back(std::move(found.error()));
  }
  if (!rules.prereleases) mark_prereleases(result.kept, ranges);
  return result;
}

// Where some target has the version without its being named, that is where the catalog has it.
void settle_by_name(Candidate& candidate, std::vector<Choice>& choices) {
  const auto free = [](const Choice& one) { return one.by_name == ByName::no; };
  if (std::ranges::none_of(choices, free)) {
    candidate.by_name = choices.front().by_name;
    return;
  }
  for (std::size_t i = choices.size(); i-- > 0;)
    if (!free(choices[i])) {
      choices.erase(choices.begin() + static_cast<std::ptrdiff_t>(i));
      candidate.servings.erase(candidate.servings.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

// Wheels for other Pythons only explain what no target has.
void settle_pythons(Candidate& candidate, const std::vector<Choice>& choices) {
  const auto elsewhere = [](const Choice& one) { return !one.pythons.empty(); };
  std::set<std::string> pythons;
  for (const auto& one : choices) pythons.insert(one.pythons.begin(), one.pythons.end());
  if (std::ranges::all_of(choices, elsewhere)) {
    candidate.pythons.assign(pythons.begin(), pythons.end());
    return;
  }
  std::vector<Serving> served;
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (!elsewhere(choices[i])) served.push_back(std::move(candidate.servings[i]));
  candidate.servings = std::move(served);
}

// One entry a version (or file) in the first's order; the reasons of several targets joined.
std::vector<LeftOut> join(const std::vector<Choices>& by_target,
                          const std::set<std::string>& kept) {
  std::vector<LeftOut> result;
  std::map<std::string, std::pair<std::size_t, std::set<std::string>>> places;
  for (const auto& choices : by_target)
    for (const auto& one : choices.left_out) {
      if (by_target.size() > 1 && kept.contains(one.version)) continue;
      const auto [place, fresh] =
          places.try_emplace(one.version, result.size(), std::set{one.reason});
      if (fresh || by_target.size() == 1)
        result.push_back(one);
      else if (place->second.second.insert(one.reason).second)
        result[place->second.first].reason += " or " + one.reason;
    }
  return result;
}

}  // namespace

Candidates choose(const std::string& name, const Listing& listing, const std::vector<Ranges>& asked,
                  const Targets& targets, const Rules& rules) {
  std::vector<Choices> by_target;
  std::map<std::string, std::pair<Candidate, std::vector<Choice>>> found;  // by the version's key
  std::set<std::string> kept;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    by_target.push_back(choose_for(targets[i], name, listing, asked[i], rules));
    for (auto& one : by_target.back().kept) {
      auto& [candidate, choices] = found[std::string(one.version.key())];
      candidate.version = one.version;
      candidate.servings.push_back({i, one.file, one.fits, one.source});
      kept.insert(one.version.text());
      choices.push_back(std::move(one));
    }
  }
  Candidates result;
  for (auto& [key, one] : found) {
    settle_by_name(one.first, one.second);
    settle_pythons(one.first, one.second);
    result.kept.push_back(std::move(one.first));
  }
  result.left_out = join(by_target, kept);
  return result;
}

}  // namespace stackx::pypi
