// Where a source archive states its requirements, and how stackx keeps what is only a note of its author's.
//
// A wheel's METADATA is final. A source archive's PKG-INFO is final only where it says so (specs/python/core_metadata.hpp).
// Else `requires.txt`, which setuptools wrote beside it on the author's machine, is what can be known without running the
// project's code; `authoritative` is false then.
#pragma once

#include <string>
#include <string_view>

#include "specs/python/core_metadata.hpp"

namespace stackx::pypi {

struct Metadata : specs::CoreMetadata {
  bool authoritative = true;
};

// Of a wheel's METADATA, or of what source_metadata() gave.
Metadata parse_metadata(std::string_view text);

// The members of a source archive that matter.
struct SourceFacts {
  std::string pkg_info, requires_txt;
  std::string pyproject = {};  // pyproject.toml; "" where there is none
};

// As a core metadata document: what the cache keeps.
std::string source_metadata(const SourceFacts& facts);

}  // namespace stackx::pypi
