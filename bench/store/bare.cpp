#include "bare.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/core.h>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "store/packing/packing.hpp"
#include "store/packing/prepared.hpp"
#include "store/rows.hpp"
#include "store/store.hpp"

namespace stackx::bench {
namespace {

using Json = nlohmann::json;
constexpr std::uint64_t batch = 20'000;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void report(const char* what, std::uint64_t documents, double seconds) {
  fmt::print("{{\"what\": \"{}\", \"documents\": {}, \"seconds\": {:.3f}, \"per_second\": {:.0f}}}\n",
             what, documents, seconds, static_cast<double>(documents) / seconds);
}

SQLite::Database fresh(const std::string& db) {
  { const auto made = store::Store::open(db); }  // the tables and indexes
  SQLite::Database database(db, SQLite::OPEN_READWRITE);
  database.exec("PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON");
  return database;
}

class Rows {
 public:
  Rows(SQLite::Database& database, std::string sql) : database_(database), insert_(database, sql) {}

  // The row of this key, inserted with these values where it is new.
  template <typename... Values>
  std::int64_t of(const std::string& key, const Values&... values) {
    if (const auto known = rows_.find(key); known != rows_.end()) return known->second;
    int at = 0;
    (insert_.bind(++at, values), ...);
    insert_.exec();
    insert_.reset();
    return rows_[key] = database_.getLastInsertRowid();
  }

 private:
  SQLite::Database& database_;
  SQLite::Statement insert_;
  std::unordered_map<std::string, std::int64_t> rows_;
};

std::string text(const Json& json) { return json.get_ref<const std::string&>(); }

}  // namespace

void insert_parsed(const std::string& documents, const std::string& db) {
  SQLite::Database database = fresh(db);
  Rows campaigns(database, "INSERT INTO campaigns(name) VALUES(?)");
  Rows hardware(database, "INSERT INTO hardware(model, microarchitecture, checksum) VALUES(?, ?, 0)");
  Rows devices(database, "INSERT INTO devices(name, hardware) VALUES(?, ?)");
  Rows workloads(database, "INSERT INTO workloads(hash, pi, params) VALUES(randomblob(32), ?, ?)");
  Rows stacks(database, "INSERT INTO stacks(hash) SELECT randomblob(32) WHERE ? <> ''");
  Rows hosts(database,
             "INSERT INTO hosts(hash, fingerprint, hostname, microarchitecture, cpu_model, document) "
             "VALUES(randomblob(32), '', '', '', '', ?)");
  Rows contexts(database, "INSERT INTO contexts(hash, document) VALUES(randomblob(32), ?)");
  Rows series(database, "INSERT INTO series(workload, device, stack) VALUES(?, ?, ?)");
  Rows arms(database,
            "INSERT INTO arms(campaign, label, series, sentinel, block) VALUES(?, ?, ?, ?, 0)");
  database.exec("INSERT INTO skeletons(hash, text) VALUES(zeroblob(32), x''); INSERT INTO "
                "templates(skeleton, program) VALUES(1, x'')");
  Rows conditions(database,
                  "INSERT INTO conditions(host, context, template, outcome, reason) VALUES(?, ?, 1, "
                  "?, ?)");
  SQLite::Statement insert(database,
                           "INSERT INTO inspections(id, position, condition, samples, rest, key, "
                           "checksum) VALUES(?, ?, ?, ?, ?, ?, ?)");
  std::ifstream in(documents);
  std::uint64_t count = 0;
  const double start = now();
  auto transaction = std::make_optional<SQLite::Transaction>(database);
  for (std::string line; std::getline(in, line); ++count) {
    const Json d = Json::parse(line);
    const Json& host = d.at("host");
    const std::string device = text(d.at("device")), params = d.at("workload").at("params").dump(),
                      components = d.at("stack").dump(), label = text(d.at("arm")),
                      campaign_name = text(d.at("campaign")), model = text(host.at("cpu").at("model"));
    Json context = Json::object();
    for (const char* key : {"artifacts", "loaded", "parameters", "runner", "stackx_version", "work"})
      context[key] = d.at(key);
    const std::string context_text = context.dump(), host_text = host.dump(),
                      outcome = text(d.at("outcome")), reason = text(d.at("reason"));
    const auto device_row = devices.of(device, device, hardware.of(model, model, ""));
    const auto workload = workloads.of(params, text(d.at("workload").at("pi")), params);
    const auto stack = stacks.of(components, components);
    const auto series_row = series.of(fmt::format("{} {} {}", workload, device_row, stack), workload, device_row, stack);
    const auto campaign = campaigns.of(campaign_name, campaign_name);
    const auto arm = arms.of(fmt::format("{} {} {}", campaign, label, series_row), campaign, label, series_row, 0);
    const auto host_row = hosts.of(host_text, host_text);
    const auto context_row = contexts.of(context_text, context_text);
    const auto condition = conditions.of(fmt::format("{} {} {}", host_row, context_row, outcome), host_row, context_row, outcome, reason);
    const std::string samples = store::pack(d.at("samples_ns").get<std::vector<std::int64_t>>());
    const Json& usage = d.at("usage");
    const std::string rest = fmt::format("{:070}", usage.at("minor_faults").get<int>());  // as long as ours
    insert.bind(1, store::inspection_row(arm, d.at("round").get<std::uint64_t>()));
    insert.bind(2, d.at("position").get<std::int64_t>());
    insert.bind(3, condition);
    insert.bindNoCopy(4, samples.data(), static_cast<int>(samples.size()));
    insert.bindNoCopy(5, rest.data(), static_cast<int>(rest.size()));
    insert.bind(6, store::key_of(store::bytes_of(text(d.at("id")))));
    insert.bind(7, 0);
    insert.exec();
    insert.reset();
    if ((count + 1) % batch == 0) {
      transaction->commit();
      transaction.emplace(database);
    }
  }
  transaction->commit();
  report("parsed", count, now() - start);
}

void insert_rows(const std::string& from, const std::string& db) {
  SQLite::Database database = fresh(db);
  SQLite::Database source(from, SQLite::OPEN_READONLY);
  struct Ready {
    std::int64_t id, position, condition, key, checksum;
    std::string samples, rest;
  };
  std::vector<Ready> ready;
  for (SQLite::Statement all(source, "SELECT id, position, condition, samples, rest, key, checksum FROM inspections"); all.executeStep();)
    ready.push_back({all.getColumn(0).getInt64(), all.getColumn(1).getInt64(), all.getColumn(2).getInt64(), all.getColumn(5).getInt64(),
                     all.getColumn(6).getInt64(), all.getColumn(3).getString(), all.getColumn(4).getString()});
  database.exec(fmt::format("ATTACH '{}' AS ready", from));
  SQLite::Statement insert(database,
                           "INSERT INTO inspections(id, position, condition, samples, rest, key, "
                           "checksum) VALUES(?, ?, ?, ?, ?, ?, ?)");
  const double start = now();
  database.exec("BEGIN");
  for (const char* table : {"hardware", "devices", "workloads", "components", "versions", "stacks", "stack_versions", "campaigns", "hosts", "contexts", "skeletons", "templates", "conditions", "series", "arms"})
    database.exec(fmt::format("INSERT INTO main.{0} SELECT * FROM ready.{0}", table));
  database.exec("COMMIT");
  auto transaction = std::make_optional<SQLite::Transaction>(database);
  std::uint64_t count = 0;
  for (const Ready& row : ready) {
    insert.bind(1, row.id);
    insert.bind(2, row.position);
    insert.bind(3, row.condition);
    insert.bindNoCopy(4, row.samples.data(), static_cast<int>(row.samples.size()));
    insert.bindNoCopy(5, row.rest.data(), static_cast<int>(row.rest.size()));
    insert.bind(6, row.key);
    insert.bind(7, row.checksum);
    insert.exec();
    insert.reset();
    if (++count % batch == 0) {
      transaction->commit();
      transaction.emplace(database);
    }
  }
  transaction->commit();
  report("rows", count, now() - start);
}

void print_size(const std::string& db) {
  SQLite::Database database(db, SQLite::OPEN_READWRITE);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const std::int64_t count = database.execAndGet("SELECT count(*) FROM inspections").getInt64(),
                     samples = database.execAndGet("SELECT sum(length(samples)) FROM inspections").getInt64();
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(db));
  fmt::print("{{\"what\": \"size\", \"inspections\": {}, \"bytes\": {}, \"samples_bytes\": {}, \"beyond_samples\": {:.1f}}}\n",
             count, bytes, samples, static_cast<double>(bytes - samples) / static_cast<double>(count));
}

}  // namespace stackx::bench
