// How a catalog was imported from the package index (a catalog's member "import"), so that the same can be asked again:
//
//   "import": {"names": ["numpy>=2"], "pythons": ["3.11"], "platform": "linux x86_64", "files": "wheels"}
//
// and, where they were given, "before", "newest", "pre" and "sources", as the options of `catalog import pypi` are. It names
// no index: that is pip's matter, today as then. Rejected: the command line as a text, which nobody checks and everybody
// would have to parse; guessing it from what the catalog holds, which does not tell what was asked for from what came along.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace stackx::specs {

class Node;

struct Imported {
  std::vector<std::string> names;    // requirements (PEP 508)
  std::vector<std::string> pythons;  // "3.11"
  std::string platform = "linux x86_64";
  std::string files = "wheels";  // or "sdists", "any"
  std::string before = {};       // RFC 3339 date or time; "" for no limit
  std::uint64_t newest = 0;      // versions of a dependency for each requirement on it; 0: all
  bool prereleases = false, sources = false;
};

nlohmann::json to_json(const Imported& imported);
Imported imported_from(const Node& node);

// Of a catalog's file; nothing where it was not imported.
std::optional<Imported> how_imported(const std::filesystem::path& catalog);

}  // namespace stackx::specs
