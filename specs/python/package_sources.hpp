// Where a project's file says that its packages come from: indexes for all or for some, or no index.
//
//   uv       [[tool.uv.index]] (name, url, explicit, default), [tool.uv] index-url, extra-index-url, index-strategy;
//            [tool.uv.sources] torch = {index = "NAME", marker, extra, group}, or a list of these; git, url, path, workspace
//   Pipfile  [[source]] (name, url): the first is for all, another for what names it: torch = {version = "*", index = "NAME"}
//   Poetry   [[tool.poetry.source]] (name, url, priority); torch = {version = "*", source = "NAME"}
//   PDM      [[tool.pdm.source]] (name, url, include_packages)
// Rejected: a place of each requirement beside its text (a source is for every requirement on the package, those of extras, too).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "specs/python/marker.hpp"

namespace stackx::specs {

class TomlNode;

struct PackageSource {
  std::string package;           // normalised
  std::string index, url;        // as the file calls it; url "": it does not say where that is
  std::string elsewhere;         // "git", "path": from no index
  std::optional<Marker> marker;  // of uv: where that holds
};

struct PackageSources {
  std::string index;                      // for all, in place of the usual one: a URL
  std::vector<std::string> beside;        // the newest of all indexes is taken, as pip does
  std::vector<std::string> first;         // what one of these has is taken from it alone, as uv does
  std::vector<PackageSource> of_packages;  // of several of a package the first whose marker holds
  std::vector<std::string> elsewhere;     // requirements with a URL, as written
};

// The one that counts in that environment; null: what holds for all.
const PackageSource* source_of(const std::string& package, const PackageSources& sources, const MarkerEnvironment& environment);

// [tool.NAME], if it is a table; null.
const TomlNode* tool_table(const TomlNode& document, const char* name);

// What a package comes by instead of an index ("git"), if the table says so; "".
std::string elsewhere_in(const TomlNode& package);

// `extras` and `groups`: those that are asked for; sources for others do not count.
void read_uv_sources(const TomlNode& document, const std::set<std::string>& extras, const std::set<std::string>& groups,
                     PackageSources& sources);
void read_pipfile_sources(const TomlNode& document, PackageSources& sources);
void read_poetry_sources(const TomlNode& document, PackageSources& sources);
void read_pdm_sources(const TomlNode& document, PackageSources& sources);

}  // namespace stackx::specs
