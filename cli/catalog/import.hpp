// stackx catalog import: catalogs from what others publish.
#pragma once

#include "cli/commands.hpp"

namespace stackx::cli {

void add_catalog_import(Command catalog, Globals& globals);

}  // namespace stackx::cli
