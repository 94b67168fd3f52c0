// The files of an index that a lock file means: those of the locked version whose SHA-256 the lock names and that a
// target can use.
//
// A lock names the hashes of all files of a version, for every Python; the index says how they are called. Which
// mirror it is does not matter: the hash decides what is installed.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "pypi/index/listing.hpp"
#include "specs/catalog/catalog.hpp"
#include "specs/python/wheel_target.hpp"

namespace stackx::pypi {

struct LockedFiles {
  std::vector<File> wheels;   // that fit the target, the best first
  std::vector<File> sources;  // archives
};

struct NoLockedFile {
  enum class Why { not_listed, other_hashes, other_target } why;
  std::string reason;  // without the package's name
};

// `hashes` empty: a lock that names none; then every file of the version with a hash is taken.
std::expected<LockedFiles, NoLockedFile> locked_files(const std::string& package,
                                                      const std::string& version,
                                                      const std::vector<std::string>& hashes,
                                                      const Listing& listing,
                                                      const specs::Target& target);

// The file as a catalog's artifact.
specs::Artifact artifact_of(specs::ArtifactType type, const File& file);

}  // namespace stackx::pypi
