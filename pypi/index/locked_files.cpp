#include "pypi/index/locked_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/python/distribution_file.hpp"

namespace stackx::pypi {
namespace {

using Why = NoLockedFile::Why;

std::unexpected<NoLockedFile> none(Why why, std::string reason) {
  return std::unexpected(NoLockedFile{why, std::move(reason)});
}

bool is_sdist(const std::string& name) {
  return name.ends_with(".tar.gz") || name.ends_with(".zip") || name.ends_with(".tar.bz2");
}

std::string start(const std::vector<std::string>& hashes) {
  return hashes.empty() ? "" : hashes.front().substr(0, 12) + "...";
}

}  // namespace

std::expected<LockedFiles, NoLockedFile> locked_files(const std::string& package,
                                                      const std::string& version,
                                                      const std::vector<std::string>& hashes,
                                                      const Listing& listing,
                                                      const specs::Target& target) {
  LockedFiles result;
  std::vector<std::pair<int, File>> ranked;
  const auto locked = specs::Version::parse(version, specs::Versioning::pep440);
  std::size_t of_version = 0, with_hash = 0;
  std::string other;  // a file for another target
  auto files = listing.files;
  if (!hashes.empty()) files.insert(files.end(), listing.others.begin(), listing.others.end());
  for (const auto& file : files) {
    const auto name = specs::parse_file_name(file.name, package);
    if (!name || !locked || name->version != *locked) continue;
    ++of_version;
    const bool meant = file.fault.empty() && !file.sha256.empty() &&
                       (hashes.empty() || std::ranges::find(hashes, file.sha256) != hashes.end());
    if (!meant) continue;
    ++with_hash;
    if (!name->wheel) {
      if (is_sdist(file.name)) result.sources.push_back(file);
    } else if (const auto rank = target.rank(*name->wheel)) {
      ranked.emplace_back(*rank, file);
    } else {
      other = file.name;
    }
  }
  if (of_version == 0)
    return none(Why::not_listed, "the package index lists no file of this version");
  if (with_hash == 0)
    return none(
        Why::other_hashes,
        fmt::format(
            "none of the {} files that the package index lists has one of the {} hashes that "
            "the lock names ({}): another build, or files that were changed",
            of_version, hashes.size(), start(hashes)));
  std::ranges::stable_sort(ranked, {},
                           [](const auto& one) { return std::pair(one.first, one.second.name); });
  for (auto& [rank, file] : ranked) result.wheels.push_back(std::move(file));
  if (result.wheels.empty() && result.sources.empty())
    return none(Why::other_target,
                fmt::format("{} has no wheel for {} and no source archive (it has {})",
                            hashes.empty() ? "the index" : "the lock", target.text(), other.empty() ? "installers alone" : other));
  return result;
}

specs::Artifact artifact_of(specs::ArtifactType type, const File& file) {
  specs::Artifact result{};
  result.type = type;
  result.file = file.name;
  result.sha256 = file.sha256;
  result.size = file.size;
  return result;
}

}  // namespace stackx::pypi
