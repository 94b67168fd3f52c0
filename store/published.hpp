// Published results in the store: rows of `published`, which share sources, hardware, workloads,
// stacks and details with each other (FORMAT.md).
//
// The row has the first 8 bytes of the id. A row that is read is put together again as the document
// and sealed: another id, or a shared row that is not what its hash says, is damage, and an Error.
// So no checksum of its own is needed, and two rows for one id cannot be.
#pragma once

#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "store/rows.hpp"
#include "store/store.hpp"
#include "store/writer.hpp"

namespace stackx::store {

// Inside of a transaction. `seed`: it came with stackx.
class PublishedWriter {
 public:
  PublishedWriter(Connection& connection, Writer& writer, bool seed);

  // The id must be that of the content (verified by the caller, or just sealed by a reader).
  Ingest insert(const specs::Published& published);
  // Removes what an older edition of a file of evidence said and its newest, with these keys, does
  // not: rows of its family whose Source::tool names its source.
  void remove_others(const Seed& seed, const std::unordered_set<std::int64_t>& kept);

 private:
  std::int64_t source(const specs::Source& source);
  std::int64_t details(const std::map<std::string, std::string>& details);

  Connection& connection_;
  Writer& writer_;
  bool seed_;
  // Successive results mostly share these.
  std::optional<std::pair<specs::Source, std::int64_t>> last_source_;
  std::optional<std::pair<specs::Stack, std::int64_t>> last_stack_;
  std::optional<std::pair<std::map<std::string, std::string>, std::int64_t>> last_details_;
};

// Each result that matches, verified; in no particular order.
void visit_published(Connection& connection, SharedRows& shared, const PublishedFilter& filter,
                     const std::function<void(specs::Published&&)>& visit);

// The result of row `row`, verified, as visit_published gives it: for salvage, row by row.
specs::Published published_at(Connection& connection, SharedRows& shared, std::int64_t row);

// One line for each row that is damaged.
std::vector<std::string> damaged_published(Connection& connection, SharedRows& shared);

}  // namespace stackx::store
