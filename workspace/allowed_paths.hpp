// Which programs, files and images strangers' documents may name: those that `stackx catalog discover` found here, and
// those that the user has allowed.
//
// A catalog that came from elsewhere could name any program (and it would be run) and any file (and it would be shown
// to what is measured); an image's own apt-get is given the network and the proxies where system packages go into it;
// and a plan that was imported names the program that measures. A sandbox holds most of it, but consent is asked for
// all the same. The file `allowed-paths` in $XDG_DATA_HOME/stackx holds one path or image a line, as a JSON string, and
// programs that measure as plans write them (path and SHA-256); whoever can write there needs no catalog. Rejected: a
// mark in the catalog, which its author can write as well; one in the store, which may be a stranger's, too.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "specs/catalog/catalog.hpp"
#include "specs/catalog/stack.hpp"
#include "specs/project/pi_program.hpp"

namespace stackx::workspace {

std::vector<std::string> named_paths(const specs::Catalog& catalog);  // sorted, each once

// Those of them that nobody has allowed.
std::vector<std::string> not_allowed(const specs::Catalog& catalog);

void allow(const std::vector<std::string>& paths);

// Throws Error(bad_input) if the catalog names paths that were not allowed; `consent` allows them from now on.
void require_consent(const specs::Catalog& catalog, bool consent);

// The same of images (oci) into which one of these stacks wants system packages.
void require_consent(const specs::Catalog& catalog, const std::vector<specs::Stack>& stacks, bool consent);

// The user named this program (`--pi`). Where that cannot be kept, it is to be named again.
void allow_program(const specs::PiProgram& program);
bool is_allowed(const specs::PiProgram& program);

}  // namespace stackx::workspace
