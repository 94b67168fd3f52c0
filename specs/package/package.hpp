// What a package index says of one package: its releases, for which machines they have wheels, and what they require
// (format stackx/package/1; files of specs/data/generated, written by `stackx catalog refresh`).
//
//   {"$schema": "stackx/package/1", "name": "torch", "as_of": "2026-11-22", "source": "PyPI: torch", "versions": {
//   "2.4.0": {"uploaded": "2024-07-24", "python": ">=3.8.0",
//             "wheels": {"manylinux1_x86_64": "cp310-cp310 cp311-cp311"}, "sdist": true, "yanked": true,
//             "requires": ["filelock", "nvidia-cudnn-cu12==9.1.0.70; platform_machine == \"x86_64\""]}}}
// One version a line, newest first: a new release is one new line. Wheels of Linux only, each platform with its
// "PYTHON-ABI" tags; `requires` in the words of the metadata, markers and extras unjudged; none where nobody read them.
// `as_of`: the day on which the index said so. Rejected: catalogs (stackx/catalog/1) made for a few Pythons: what holds
// depends on the Python and the machine that somebody asks about.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "specs/python/distribution_file.hpp"

namespace stackx::specs {

class Node;

struct PackageRelease {
  Version version;
  std::string uploaded;         // "2024-07-24"; "" if the index does not say
  std::string requires_python;  // "" for any
  std::vector<WheelTags> wheels;
  bool source = false;  // has an archive to build from
  bool yanked = false;
  std::optional<std::vector<std::string>> requires_;  // PEP 508; nothing: not read
};

struct Package {
  std::string name;   // normalised
  std::string as_of;  // "2026-11-22"
  std::string source;
  std::vector<PackageRelease> releases;  // oldest first

  const PackageRelease* find(const Version& version) const;
};

Package parse_package(const Node& document);
Package load_package(const std::filesystem::path& file);

// The same bytes for the same package.
std::string to_text(const Package& package);

}  // namespace stackx::specs
