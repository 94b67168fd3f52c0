// Writing: every document is one short transaction.
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include "specs/digest.hpp"
#include "specs/json.hpp"
#include "specs/seal.hpp"
#include "store/database.hpp"

namespace stackx::store {
namespace {

using nlohmann::json;

std::int64_t last_row(Connection& connection) { return connection.sqlite().getLastInsertRowid(); }

// The row that `find` selects by these values, or a new one that `insert` makes of them (and of
// `more`).
template <typename... Key, typename... More>
std::int64_t intern(Connection& connection, const char* find, const char* insert,
                    std::tuple<Key...> key, const More&... more) {
  {
    Cursor cursor = connection.prepare(find);
    std::apply([&](const auto&... values) { (cursor << ... << values); }, key);
    if (cursor.next()) return cursor.integer(0);
  }
  Cursor cursor = connection.prepare(insert);
  std::apply([&](const auto&... values) { (cursor << ... << values); }, key);
  static_cast<void>((cursor << ... << more));
  cursor.execute();
  return last_row(connection);
}

std::int64_t intern_stack(Connection& connection, const specs::Stack& stack) {
  const Blob hash{bytes_of(stack.id())};
  {
    Cursor cursor = connection.prepare("SELECT id FROM stacks WHERE hash = ?");
    cursor << hash;
    if (cursor.next()) return cursor.integer(0);
  }
  {
    Cursor cursor = connection.prepare("INSERT INTO stacks(hash) VALUES(?)");
    cursor << hash;
    cursor.execute();
  }
  const std::int64_t row = last_row(connection);
  for (const auto& [name, version] : stack.components) {
    const std::int64_t component =
        intern(connection, "SELECT id FROM components WHERE name = ?",
               "INSERT INTO components(name) VALUES(?)", std::tuple(name));
    const std::int64_t version_row = intern(
        connection, "SELECT id FROM versions WHERE component = ? AND version = ?",
        "INSERT INTO versions(component, version) VALUES(?, ?)", std::tuple(component, version));
    Cursor cursor = connection.prepare("INSERT INTO stack_versions(stack, version) VALUES(?, ?)");
    cursor << row << version_row;
    cursor.execute();
  }
  return row;
}

std::int64_t intern_workload(Connection& connection, const specs::Workload& workload) {
  return intern(connection, "SELECT id FROM workloads WHERE hash = ?",
                "INSERT INTO workloads(hash, pi, params) VALUES(?, ?, ?)",
                std::tuple(Blob{bytes_of(workload.id())}), workload.pi,
                json(workload.params).dump());
}

std::int64_t intern_host(Connection& connection, const specs::Host& host, const std::string& hash,
                         const std::string& document) {
  return intern(
      connection, "SELECT id FROM hosts WHERE hash = ?",
      "INSERT INTO hosts(hash, fingerprint, hostname, microarchitecture, cpu_model, document) "
      "VALUES(?, ?, ?, ?, ?, ?)",
      std::tuple(Blob{bytes_of(hash)}), host.fingerprint(), host.hostname,
      host.cpu.microarchitecture, host.cpu.model, document);
}

std::int64_t intern_campaign(Connection& connection, const std::string& name) {
  return intern(connection, "SELECT id FROM campaigns WHERE name = ?",
                "INSERT INTO campaigns(name) VALUES(?)", std::tuple(name));
}

// One arm runs once in a round: a second document for the same place would count a round twice.
void refuse_taken_slot(Connection& connection, std::int64_t campaign,
                       const specs::Inspection& inspection) {
  Cursor cursor = connection.prepare(
      "SELECT hash FROM inspections WHERE campaign = ? AND round = ? AND arm = ?");
  cursor << campaign << static_cast<std::int64_t>(inspection.round) << inspection.arm;
  if (!cursor.next()) return;
  throw bad_input(
      fmt::format("{}: campaign {} already has inspection {} for round {} of arm \"{}\"; "
                  "inspection {} is another document for the "
                  "same place and is not stored (an arm runs once a round)",
                  connection.file().string(), inspection.campaign.substr(0, 12),
                  hex_of(cursor.text(0)), inspection.round, inspection.arm, inspection.id));
}

bool has(Connection& connection, const std::string& hash) {
  Cursor cursor = connection.prepare("SELECT 1 FROM inspections WHERE hash = ?");
  cursor << Blob{hash};
  return cursor.next();
}

void insert(Connection& connection, const Parts& parts, const specs::Host& host) {
  const specs::Inspection& c = parts.columns;
  std::optional<std::int64_t> campaign;
  if (!c.campaign.empty()) {
    campaign = intern_campaign(connection, c.campaign);
    refuse_taken_slot(connection, *campaign, c);
  }
  const std::string host_hash = specs::sha256(parts.host),
                    context_hash = specs::sha256(parts.context);
  const std::int64_t stack = intern_stack(connection, c.stack),
                     workload = intern_workload(connection, c.workload),
                     host_row = intern_host(connection, host, host_hash, parts.host),
                     device = intern(connection, "SELECT id FROM devices WHERE name = ?",
                                     "INSERT INTO devices(name) VALUES(?)", std::tuple(c.device)),
                     context = intern(connection, "SELECT id FROM contexts WHERE hash = ?",
                                      "INSERT INTO contexts(hash, document) VALUES(?, ?)",
                                      std::tuple(Blob{bytes_of(context_hash)}), parts.context);
  Cursor cursor =
      connection.prepare("INSERT INTO inspections(" STACKX_INSPECTION_COLUMNS
                         ", rest, context) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  cursor << Blob{bytes_of(c.id)};
  campaign ? cursor << *campaign : cursor << nullptr;
  cursor << static_cast<std::int64_t>(c.round) << static_cast<std::int64_t>(c.position) << c.arm
         << static_cast<int>(c.sentinel) << stack << workload << host_row << device
         << specs::to_string(c.outcome) << c.reason << c.finished << Blob{pack(c.samples_ns)}
         << c.work.flop << c.work.bytes << c.work.items
         << static_cast<std::int64_t>(checksum(c, c.stack.id(), c.workload.id(), host_hash))
         << parts.rest << context;
  cursor.execute();
}

void require_writable(const Connection& connection) {
  if (connection.mode() == Mode::read_only)
    throw bad_input(fmt::format("{}: opened read-only; nothing can be stored in it",
                                connection.file().string()));
}

// What the campaign will run at most: rounds times arms, within its budget.
std::uint64_t planned(const specs::Plan& plan) {
  const std::uint64_t all = plan.campaign.rounds * plan.arms.size();
  return std::min(all, plan.campaign.budget_inspections.value_or(all));
}

void verify_id(const specs::Plan& plan) {
  const std::string id = specs::content_id(specs::to_json(plan));
  if (id != plan.id)
    throw bad_input(
        fmt::format("plan {}: the id does not match the content, whose id is {}; it is not stored",
                    plan.id.empty() ? "(without id)" : plan.id, id));
}

}  // namespace

Ingest Store::ingest(const specs::Inspection& inspection) {
  Connection& connection = database_->connection;
  require_writable(connection);
  const Parts parts = take_apart(inspection);
  return connection.run([&] {
    const std::string hash = bytes_of(inspection.id);
    if (store::has(connection, hash)) return Ingest::already_there;  // without waiting for a writer
    SQLite::Transaction transaction(connection.sqlite(), SQLite::TransactionBehavior::IMMEDIATE);
    if (store::has(connection, hash)) return Ingest::already_there;
    insert(connection, parts, inspection.host);
    transaction.commit();
    return Ingest::inserted;
  });
}

Ingest Store::ingest(const specs::Plan& plan) {
  Connection& connection = database_->connection;
  require_writable(connection);
  verify_id(plan);
  return connection.run([&] {
    SQLite::Transaction transaction(connection.sqlite(), SQLite::TransactionBehavior::IMMEDIATE);
    const std::int64_t row =
        intern_campaign(connection, plan.id);  // may be there through its inspections
    {
      Cursor cursor = connection.prepare("SELECT plan IS NOT NULL FROM campaigns WHERE id = ?");
      cursor << row;
      if (cursor.next() && cursor.integer(0)) return Ingest::already_there;
    }
    Cursor cursor = connection.prepare(
        "UPDATE campaigns SET project = ?, created = ?, planned = ?, plan = ? WHERE id = ?");
    cursor << plan.project << plan.created << static_cast<std::int64_t>(planned(plan))
           << specs::canonical(specs::to_json(plan)) << row;
    cursor.execute();
    transaction.commit();
    return Ingest::inserted;
  });
}

bool Store::has(const std::string& id) const {
  return database_->connection.run([&] { return store::has(database_->connection, bytes_of(id)); });
}

}  // namespace stackx::store
