// Documents out of rows of schema 1, one by one: for a damaged store of that schema, which cannot be
// brought forward as a whole (migrate_1.cpp does that with sound ones).
#pragma once

#include <string>

#include "store/connection.hpp"

namespace stackx::store {

// The document that `inspections` row `row` of schema 1 was made of; unproved, if the rows that it
// refers to are not the right ones. Throws Error if one of them is missing or cannot be read.
std::string document_of_schema_1(Connection& connection, std::int64_t row);

}  // namespace stackx::store
