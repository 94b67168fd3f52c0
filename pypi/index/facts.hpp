// What one file of an index states of itself, read: the Pythons it is for, and what it requires.
//
// Rejected: dropping a line that is not PEP 508, as pip's old resolver did: what is required would be forgotten silently.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "pypi/distribution/metadata.hpp"
#include "pypi/index/listing.hpp"
#include "specs/python/pep508.hpp"
#include "specs/python/wheel_target.hpp"

namespace stackx::pypi {

struct Facts {
  std::string requires_python;  // "" for any
  bool authoritative = true;
  std::vector<specs::Dependency> dependencies;  // all, whatever their markers say
};

// A reason where they state what no catalog can name, or is not PEP 508.
std::expected<Facts, std::string> read_facts(const File& file, const Metadata& metadata);

// Why the metadata is not that of the project and version that the file's name says, as pip takes them; "" where it is,
// or does not say.
std::string inconsistent(const std::string& project, const specs::Version& version, const Metadata& metadata);

// The index's word counts before the file's own, as for pip; what is no range says nothing.
bool serves_python(const File& file, const Metadata& metadata, const specs::Target& target);

// The dependencies that hold without an extra, or those that `extra` adds.
std::vector<const specs::Dependency*> holding(const Facts& facts, const specs::Target& target, const std::string& extra);

// Why no catalog can name what is required, or "": there python is Python itself, not the project of that name.
std::string unnameable(const specs::Dependency& dependency);

}  // namespace stackx::pypi
