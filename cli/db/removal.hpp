// stackx db remove: results out of the store, after it was said which.
#pragma once

#include "cli/commands.hpp"

namespace stackx::cli {

void add_db_remove(Command db, Globals& globals);

}  // namespace stackx::cli
