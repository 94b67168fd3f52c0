// What Store hides: its connection and the helpers that writing, reading and checking share.
#pragma once

#include "store/connection.hpp"
#include "store/document.hpp"
#include "store/packing.hpp"

namespace stackx::store {

struct Store::Database {
  Connection connection;
};

// Where inspections meet: `hosts`, `stacks` and the like are read once a query and verified against
// their hashes.
class SharedRows {
 public:
  explicit SharedRows(Connection& connection) : connection_(connection) {}

  struct StackRow {
    specs::Stack stack;
    std::string id;
  };
  struct WorkloadRow {
    specs::Workload workload;
    std::string id;
  };
  struct HostRow {
    std::string hash, fingerprint, hostname, microarchitecture, cpu_model, document;
  };

  const StackRow& stack(std::int64_t row);
  const WorkloadRow& workload(std::int64_t row);
  const HostRow& host(std::int64_t row);
  const std::string& campaign(std::int64_t row);
  const std::string& device(std::int64_t row);

 private:
  Connection& connection_;
  std::map<std::int64_t, StackRow> stacks_;
  std::map<std::int64_t, WorkloadRow> workloads_;
  std::map<std::int64_t, HostRow> hosts_;
  std::map<std::int64_t, std::string> campaigns_, devices_;
};

// The columns of an inspection in the order that read_row expects.
#define STACKX_INSPECTION_COLUMNS                                                            \
  "hash, campaign, round, position, arm, sentinel, stack, workload, host, device, outcome, " \
  "reason, "                                                                                 \
  "finished, samples, flop, bytes, items, checksum"
inline constexpr int first_column_after = 18;

struct Row {
  specs::Inspection columns;
  const SharedRows::HostRow* host;
};
Row read_row(Connection& connection, const Cursor& cursor,
             SharedRows& shared);  // verifies the checksum

// One document from its row, verified by its id. `hash`: 32 bytes.
std::optional<specs::Inspection> read_document(Connection& connection, const std::string& hash);

}  // namespace stackx::store
