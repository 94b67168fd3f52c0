// stackx catalog discover: a catalog of what is installed on this machine.
#pragma once

#include "cli/commands.hpp"

namespace stackx::cli {

void add_catalog_discover(Command catalog, Globals& globals);

}  // namespace stackx::cli
