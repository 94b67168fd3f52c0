// A result document taken apart into what a row and its shared rows hold, and put together again.
//
// Most of a document repeats: the host, the stack, the workload, the artifacts. Those members live
// once, in rows that many inspections share; numbers and times that queries read live in columns;
// what is left lies in the row as JSON. Nothing is lost: assemble(take_apart(d)) is d, byte for
// byte in canonical form, and take_apart makes sure of that before anything is written. Rejected:
// the whole document as text in each row (six times the size), and a column for every member (a
// schema change whenever a document gains one).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "specs/inspection.hpp"

namespace stackx::store {

struct Parts {
  specs::Inspection columns;  // the members that have columns; the others are left empty
  std::string host;           // canonical JSON
  std::string context;  // canonical JSON: the members that runs of one stack on one host share
  std::string rest;     // canonical JSON: all other members
};

// CRC-32 over everything that queries read without rebuilding the document (whose id proves the
// rest). The shared rows take part by their hashes, so a reference that points to the wrong row is
// noticed too.
std::uint32_t checksum(const specs::Inspection& columns, const std::string& stack_id,
                       const std::string& workload_id, const std::string& host_hash);

// Verifies the id: throws Error(bad_input) if the content is not what the id says.
Parts take_apart(const specs::Inspection& inspection);
nlohmann::json assemble(const Parts& parts);

}  // namespace stackx::store
