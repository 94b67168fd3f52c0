// Which programs and files of this machine catalogs may name: those that `stackx catalog discover` found here, and those
// that the user has allowed.
//
// A catalog that came from elsewhere could name any program (and it would be run) and any file (and it would be shown to
// what is measured). A sandbox holds both, but consent is asked for all the same. The file `allowed-paths` in
// $XDG_DATA_HOME/stackx holds one path a line, as a JSON string; whoever can write there needs no catalog. Rejected: a mark in the catalog,
// which its author can write as well.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "specs/catalog/catalog.hpp"

namespace stackx::workspace {

std::vector<std::string> named_paths(const specs::Catalog& catalog);  // sorted, each once

// Those of them that nobody has allowed.
std::vector<std::string> not_allowed(const specs::Catalog& catalog);

void allow(const std::vector<std::string>& paths);

// Throws Error(bad_input) if the catalog names paths that were not allowed; `consent` allows them from now on.
void require_consent(const specs::Catalog& catalog, bool consent);

}  // namespace stackx::workspace
