// stackx catalog refresh: the facts that come with stackx, brought up to date.
#pragma once

#include "cli/commands.hpp"

namespace stackx::cli {

void add_catalog_refresh(Command catalog, Globals& globals);

}  // namespace stackx::cli
