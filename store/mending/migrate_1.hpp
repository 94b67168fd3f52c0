// From schema 1 to 2: every inspection is read as schema 1 kept it, as a document, and written anew.
#pragma once

#include "store/connection.hpp"

namespace stackx::store {

// Inside of the step's transaction. Throws Error(environment) naming what is damaged; nothing is
// changed then.
void migrate_1(Connection& connection);

}  // namespace stackx::store
