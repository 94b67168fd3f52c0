// What SQLite alone takes for the same rows: the peers of ingest.
//
// Both write the tables and indexes of schema 2, 20,000 documents a transaction, with the pragmas of
// the store, and neither verifies anything nor makes a summary.
//   parsed  each line parsed with nlohmann::json, the members that have columns bound and inserted,
//           shared rows found in hash maps: what a program that only wants its documents in a database
//           would do
//   rows    every row of a finished store, ready in memory, inserted again: no parsing at all
#pragma once

#include <string>

namespace stackx::bench {

void insert_parsed(const std::string& documents, const std::string& db);
void insert_rows(const std::string& from, const std::string& db);
void print_size(const std::string& db);

}  // namespace stackx::bench
