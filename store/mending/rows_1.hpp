// Documents out of rows of schema 1, one by one: to bring a store forward (migrate_1.hpp), and to save
// what is sound of a damaged one (salvage.hpp).
#pragma once

#include <string>

#include "store/connection.hpp"

namespace stackx::store {

// The document that `inspections` row `row` of schema 1 was made of; unproved, if the rows that it
// refers to are not the right ones. Throws Error if one of them is missing or cannot be read.
// A migration has renamed two of the tables.
enum class Tables1 { as_they_were, renamed };
std::string document_of_schema_1(Connection& connection, std::int64_t row,
                                 Tables1 tables = Tables1::as_they_were);

}  // namespace stackx::store
