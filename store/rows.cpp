#include <fmt/format.h>

#include "specs/digest.hpp"
#include "specs/json.hpp"
#include "store/database.hpp"

namespace stackx::store {
namespace {

using nlohmann::json;

// A shared row that is missing, or is not what its hash says.
[[noreturn]] void bad_row(Connection& connection, const char* table, std::int64_t row) {
  throw Connection::damaged(connection.file(),
                            fmt::format("{}: row {} is missing or changed", table, row));
}

std::string name_of(Connection& connection, const char* table, const char* sql, std::int64_t row) {
  Cursor cursor = connection.prepare(sql);
  cursor << row;
  if (!cursor.next()) bad_row(connection, table, row);
  return cursor.text(0);
}

}  // namespace

const SharedRows::StackRow& SharedRows::stack(std::int64_t row) {
  if (const auto known = stacks_.find(row); known != stacks_.end()) return known->second;
  StackRow result;
  {
    Cursor cursor = connection_.prepare("SELECT hash FROM stacks WHERE id = ?");
    cursor << row;
    if (!cursor.next()) bad_row(connection_, "stacks", row);
    result.id = hex_of(cursor.text(0));
  }
  Cursor cursor = connection_.prepare(
      "SELECT c.name, v.version FROM stack_versions s JOIN versions v ON v.id = s.version "
      "JOIN components c ON c.id = v.component WHERE s.stack = ?");
  cursor << row;
  while (cursor.next()) result.stack.components.emplace(cursor.text(0), cursor.text(1));
  if (result.stack.id() != result.id) bad_row(connection_, "stacks", row);
  return stacks_.emplace(row, std::move(result)).first->second;
}

const SharedRows::WorkloadRow& SharedRows::workload(std::int64_t row) {
  if (const auto known = workloads_.find(row); known != workloads_.end()) return known->second;
  Cursor cursor = connection_.prepare("SELECT hash, pi, params FROM workloads WHERE id = ?");
  cursor << row;
  if (!cursor.next()) bad_row(connection_, "workloads", row);
  WorkloadRow result;
  result.id = hex_of(cursor.text(0));
  result.workload.pi = cursor.text(1);
  result.workload.params = json::parse(cursor.text(2)).get<std::map<std::string, std::string>>();
  if (result.workload.id() != result.id) bad_row(connection_, "workloads", row);
  return workloads_.emplace(row, std::move(result)).first->second;
}

const SharedRows::HostRow& SharedRows::host(std::int64_t row) {
  if (const auto known = hosts_.find(row); known != hosts_.end()) return known->second;
  Cursor cursor = connection_.prepare(
      "SELECT hash, fingerprint, hostname, microarchitecture, cpu_model, document FROM hosts WHERE "
      "id = ?");
  cursor << row;
  if (!cursor.next()) bad_row(connection_, "hosts", row);
  HostRow result{hex_of(cursor.text(0)), cursor.text(1), cursor.text(2),
                 cursor.text(3),         cursor.text(4), cursor.text(5)};
  if (specs::sha256(result.document) != result.hash) bad_row(connection_, "hosts", row);
  const specs::Host host =
      specs::host_from(specs::Node::parse_text(result.document, connection_.file().string()));
  if (host.fingerprint() != result.fingerprint || host.hostname != result.hostname ||
      host.cpu.microarchitecture != result.microarchitecture || host.cpu.model != result.cpu_model)
    bad_row(connection_, "hosts", row);
  return hosts_.emplace(row, std::move(result)).first->second;
}

const std::string& SharedRows::campaign(std::int64_t row) {
  const auto known = campaigns_.find(row);
  if (known != campaigns_.end()) return known->second;
  return campaigns_[row] =
             name_of(connection_, "campaigns", "SELECT name FROM campaigns WHERE id = ?", row);
}

const std::string& SharedRows::device(std::int64_t row) {
  const auto known = devices_.find(row);
  if (known != devices_.end()) return known->second;
  return devices_[row] =
             name_of(connection_, "devices", "SELECT name FROM devices WHERE id = ?", row);
}

Row read_row(Connection& connection, const Cursor& cursor, SharedRows& shared) {
  Row row;
  specs::Inspection& c = row.columns;
  c.id = hex_of(cursor.text(0));
  if (!cursor.is_null(1)) c.campaign = shared.campaign(cursor.integer(1));
  c.round = static_cast<std::uint64_t>(cursor.integer(2));
  c.position = static_cast<std::uint64_t>(cursor.integer(3));
  c.arm = cursor.text(4);
  c.sentinel = cursor.integer(5) != 0;
  const SharedRows::StackRow& stack = shared.stack(cursor.integer(6));
  const SharedRows::WorkloadRow& workload = shared.workload(cursor.integer(7));
  row.host = &shared.host(cursor.integer(8));
  c.stack = stack.stack;
  c.workload = workload.workload;
  c.device = shared.device(cursor.integer(9));
  const std::optional<specs::Outcome> outcome = specs::outcome_from(cursor.text(10));
  c.reason = cursor.text(11);
  c.finished = cursor.text(12);
  c.samples_ns = unpack(cursor.text(13));
  c.work = {cursor.real(14), cursor.real(15), cursor.real(16)};
  if (outcome) c.outcome = *outcome;
  if (!outcome || checksum(c, stack.id, workload.id, row.host->hash) != cursor.integer(17))
    throw Connection::damaged(connection.file(),
                              fmt::format("inspection {}: its checksum does not hold", c.id));
  return row;
}

std::optional<specs::Inspection> read_document(Connection& connection, const std::string& hash) {
  Cursor cursor = connection.prepare("SELECT " STACKX_INSPECTION_COLUMNS
                                     ", rest, context FROM inspections WHERE hash = ?");
  cursor << Blob{hash};
  if (!cursor.next()) return std::nullopt;
  SharedRows shared(connection);
  Row row = read_row(connection, cursor, shared);
  const std::int64_t context_row = cursor.integer(first_column_after + 1);
  Parts parts{
      std::move(row.columns), row.host->document,
      name_of(connection, "contexts", "SELECT document FROM contexts WHERE id = ?", context_row),
      cursor.text(first_column_after)};
  const std::string id = parts.columns.id;
  const std::string text = specs::canonical(assemble(parts));
  try {
    return specs::inspection_from(specs::Node::parse_text(text, fmt::format("inspection {}", id)));
  } catch (const Error& error) {
    throw Connection::damaged(connection.file(), error.what());
  }
}

}  // namespace stackx::store
