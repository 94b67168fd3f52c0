// A whole file of an index, by its name and hash: a source archive that is to be built where there is no network.
//
// Only what has the hash is handed on, whichever place it came from. Rejected: pip download, which runs a source archive's
// own code to learn its name.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "pypi/index/index.hpp"

namespace stackx::pypi {

struct WantedFile {
  std::string project, name, sha256;
  std::uint64_t size = 0;  // bytes; 0: unknown, then a gibibyte is taken at most
};

struct NotFetched {
  std::string reason;
  std::string other_hash = {};  // what was there had this one
};

// The bytes, from a place of the index that has them. Throws as Index does.
std::expected<std::string, NotFetched> download(const WantedFile& wanted, Index& index, Transport& transport);

// What a source archive's pyproject.toml says that its build requires (PEP 518); setuptools where it says nothing, as
// pip takes it. Names, versions and markers alone (PEP 508): a build that requires a URL is refused with a reason.
std::expected<std::vector<std::string>, std::string> build_requires(const std::string& archive);

}  // namespace stackx::pypi
