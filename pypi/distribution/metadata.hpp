// What a distribution states about itself: core metadata (a header like an e-mail's), and where a source
// archive says it.
//
// A wheel's METADATA is final. A source archive's PKG-INFO is final only from metadata 2.2 on, where
// Requires-Dist is not `Dynamic` (PEP 643). Else `requires.txt`, which setuptools wrote beside it on the
// author's machine, is what can be known without running the project's code; `authoritative` is false then.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stackx::pypi {

struct Metadata {
  std::string name = {}, version = {};  // as stated; "" where it does not say
  std::vector<std::string> requires_dist;  // PEP 508
  std::string requires_python;
  bool authoritative = true;
};

// Bytes that are no UTF-8 become U+FFFD, which no requirement holds.
Metadata parse_metadata(std::string_view text);

// The members of a source archive that matter.
struct SourceFacts {
  std::string pkg_info, requires_txt;
  std::string pyproject = {};  // pyproject.toml; "" where there is none
};

// As a core metadata document: what the cache keeps.
std::string source_metadata(const SourceFacts& facts);

}  // namespace stackx::pypi
