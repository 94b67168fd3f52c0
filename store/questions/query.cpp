// Reading: every value is verified against a hash or a checksum before it leaves the store.
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include <algorithm>

#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/hardware/name.hpp"
#include "store/database.hpp"
#include "store/packing/measurement.hpp"
#include "store/questions/sample.hpp"

namespace stackx::store {
namespace {

std::vector<std::int64_t> rows_of(Connection& connection, const char* sql) {
  std::vector<std::int64_t> rows;
  Cursor cursor = connection.prepare(sql);
  while (cursor.next()) rows.push_back(cursor.integer(0));
  return rows;
}

std::vector<std::int64_t> matching_workloads(Connection& connection, SharedRows& shared,
                                             const Filter& filter) {
  std::vector<std::int64_t> rows = rows_of(connection, "SELECT DISTINCT workload FROM series");
  std::erase_if(rows, [&](std::int64_t row) {
    const specs::Workload& workload = shared.workload(row).workload;
    return !is_of(workload, filter.whose) || (filter.workload && !filter.workload->matches(workload));
  });
  return rows;
}

// Devices whose model, or whose host's processor or GPUs, have these words in their names.
std::vector<std::int64_t> matching_devices(Connection& connection, SharedRows& shared,
                                           const Filter& filter) {
  std::vector<std::int64_t> rows = rows_of(connection, "SELECT id FROM devices");
  if (!filter.hardware) return rows;
  const specs::WantedHardware named(*filter.hardware);
  std::erase_if(rows, [&](std::int64_t row) {
    const SharedRows::DeviceRow& device = shared.device(row);
    return !named.is_named_by(device.model) && !named.is_named_by(device.microarchitecture);
  });
  return rows;
}

std::vector<std::int64_t> arms_of(Connection& connection, std::int64_t workload,
                                  std::int64_t device) {
  std::vector<std::int64_t> arms;
  Cursor cursor = connection.prepare(
      "SELECT a.id FROM series s JOIN arms a ON a.series = s.id WHERE s.workload = ? AND s.device "
      "= ?");
  cursor << workload << device;
  while (cursor.next()) arms.push_back(cursor.integer(0));
  return arms;
}

// What a damaged page hides is noticed by what the sums count.
void require_all(Connection& connection, std::int64_t workload, std::int64_t device,
                 std::int64_t found) {
  Cursor cursor = connection.prepare(
      "SELECT sum(inspections), count(t.series) FROM series s LEFT JOIN stale t ON t.series = s.id "
      "WHERE s.workload = ? AND s.device = ?");
  cursor << workload << device;
  if (!cursor.next() || cursor.integer(1) > 0 || cursor.integer(0) == found) return;
  throw Connection::damaged(connection.file(), fmt::format("{} inspections are counted, {} are there",
                                                           cursor.integer(0), found));
}

// How many rows the arm has.
std::int64_t append_measurements(Connection& connection, SharedRows& shared, const Filter& filter,
                         std::int64_t arm, std::vector<Measurement>& result) {
  Cursor cursor = connection.prepare("SELECT " STACKX_INSPECTION_COLUMNS
                                     " FROM inspections WHERE id BETWEEN ? AND ?");
  cursor << (arm << round_bits) << ((arm << round_bits) + rounds_a_block - 1);
  std::int64_t rows = 0;
  while (cursor.next()) {
    Row row = read_row(connection, cursor, shared);
    ++rows;
    if (filter.host && row.condition->host->fingerprint != *filter.host) continue;
    result.push_back(measurement_of(std::move(row), {true, filter.yardsticks}));
  }
  return rows;
}

// Of some campaigns their own arms alone are read, and what is counted of them must be there.
std::vector<Measurement> measurements_of_campaigns(Connection& connection, SharedRows& shared, const Filter& filter) {
  std::vector<Measurement> result;
  const auto devices = matching_devices(connection, shared, filter), workloads = matching_workloads(connection, shared, filter);
  std::vector<std::pair<std::int64_t, bool>> arms;  // and whether it is wanted
  {
    Cursor cursor = connection.prepare(
        "SELECT a.id, s.workload, s.device FROM campaigns c CROSS JOIN arms a ON a.campaign = c.id CROSS JOIN series s ON s.id = "
        "a.series WHERE c.name BETWEEN ?1 AND ?1 || char(1114111)");
    cursor << *filter.campaign;
    while (cursor.next())
      arms.emplace_back(cursor.integer(0), std::ranges::find(workloads, cursor.integer(1)) != workloads.end() &&
                                               std::ranges::find(devices, cursor.integer(2)) != devices.end());
  }
  std::int64_t rows = 0;
  bool all = true;
  for (const auto& [arm, wanted] : arms) {
    if (wanted) rows += append_measurements(connection, shared, filter, arm, result);
    all = all && wanted;
  }
  Cursor cursor = connection.prepare("SELECT sum(done) FROM campaigns WHERE name BETWEEN ?1 AND ?1 || char(1114111)");
  cursor << *filter.campaign;
  if (all && cursor.next() && cursor.integer(0) != rows)
    throw Connection::damaged(connection.file(), fmt::format("{} inspections are counted, {} are there", cursor.integer(0), rows));
  sort_measurements(result);
  return result;
}

std::vector<Measurement> all_measurements(Connection& connection, SharedRows& shared, const Filter& filter) {
  if (filter.campaign && !filter.campaign->empty()) return measurements_of_campaigns(connection, shared, filter);
  std::vector<Measurement> result;
  const auto devices = matching_devices(connection, shared, filter);
  for (const std::int64_t workload : matching_workloads(connection, shared, filter))
    for (const std::int64_t device : devices) {
      std::int64_t rows = 0;
      for (const std::int64_t arm : arms_of(connection, workload, device))
        rows += append_measurements(connection, shared, filter, arm, result);
      require_all(connection, workload, device, rows);
    }
  sort_measurements(result);
  return result;
}

std::vector<std::int64_t> matching_series(Connection& connection, SharedRows& shared, const Filter& filter) {
  std::vector<std::int64_t> result;
  const auto devices = matching_devices(connection, shared, filter);
  for (const std::int64_t workload : matching_workloads(connection, shared, filter))
    for (const std::int64_t device : devices) {
      Cursor cursor = connection.prepare("SELECT id FROM series WHERE workload = ? AND device = ?");
      cursor << workload << device;
      while (cursor.next()) result.push_back(cursor.integer(0));
    }
  return result;
}

struct PrefixRange {
  std::string low, high;
};

// None for what begins no id: documents of strangers name campaigns as they like.
std::optional<PrefixRange> range_of(const std::string& prefix) {
  if (prefix.empty() || prefix.size() > 64 || prefix.find_first_not_of("0123456789abcdef") != std::string::npos)
    return std::nullopt;
  return PrefixRange{prefix + std::string(64 - prefix.size(), '0'), prefix + std::string(64 - prefix.size(), 'f')};
}

[[noreturn]] void ambiguous(const char* what, const std::string& prefix, const std::string& a,
                            const std::string& b) {
  throw bad_input(fmt::format("{} \"{}\" is ambiguous: {} and {} begin so; give more digits", what,
                              prefix, a, b));
}

}  // namespace

std::optional<specs::Plan> Store::plan(const std::string& id_or_prefix) const {
  Connection& connection = database_->connection;
  const auto range = range_of(id_or_prefix);
  if (!range) return std::nullopt;
  return connection.run([&]() -> std::optional<specs::Plan> {
    Cursor cursor = connection.prepare(
        "SELECT name, plan FROM campaigns WHERE plan IS NOT NULL AND name BETWEEN ? AND ? ORDER BY "
        "name");
    cursor << range->low << range->high;
    if (!cursor.next()) return std::nullopt;
    const std::string id = cursor.text(0), document = cursor.text(1);
    if (cursor.next()) ambiguous("campaign", id_or_prefix, id, cursor.text(0));
    try {
      specs::Plan plan =
          specs::plan_from(specs::Node::parse_text(document, fmt::format("plan {}", id)));
      if (plan.id == id) return plan;
    } catch (const Error& error) {
      throw Connection::damaged(connection.file(), error.what());
    }
    throw Connection::damaged(connection.file(),
                              fmt::format("plan {}: its row has another document", id));
  });
}

std::vector<CampaignRow> Store::campaigns() const {
  Connection& connection = database_->connection;
  return connection.run([&] {
    std::vector<CampaignRow> rows;
    Cursor cursor = connection.prepare(
        "SELECT name, project, created, planned, done, failed FROM campaigns WHERE name <> '' "
        "ORDER BY created DESC, name");
    while (cursor.next())
      rows.push_back({cursor.text(0), cursor.text(1), cursor.text(2),
                      static_cast<std::uint64_t>(cursor.integer(3)),
                      static_cast<std::uint64_t>(cursor.integer(4)),
                      static_cast<std::uint64_t>(cursor.integer(5))});
    return rows;
  });
}

std::vector<BlockRow> Store::blocks(const std::string& cluster) const {
  Connection& connection = database_->connection;
  return connection.run([&] {
    std::vector<BlockRow> rows;
    const auto count = [](const Cursor& cursor, int column) { return static_cast<std::uint64_t>(cursor.integer(column)); };
    // Few plans have a block, and JSON is read of those alone.
    Cursor cursor = connection.prepare(
        "SELECT name, json_extract(plan, '$.block.target'), json_extract(plan, '$.block.attempt'), created, "
        "json_extract(plan, '$.block.block'), json_extract(plan, '$.campaign.rounds'), planned, done, failed FROM campaigns "
        "WHERE instr(plan, '\"cluster\":\"' || ? || '\"') AND json_extract(plan, '$.block.cluster') = ? ORDER BY created, name");
    cursor << cluster << cluster;
    while (cursor.next())
      rows.push_back({cursor.text(0), cursor.text(1), cursor.text(2), cursor.text(3), count(cursor, 4), count(cursor, 5),
                      count(cursor, 6), count(cursor, 7), count(cursor, 8)});
    return rows;
  });
}

std::set<std::pair<std::uint64_t, std::string>> Store::done(const std::string& campaign) const {
  Connection& connection = database_->connection;
  return connection.run([&] {
    std::set<std::pair<std::uint64_t, std::string>> slots;
    SharedRows shared(connection);
    Cursor cursor = connection.prepare(
        "SELECT i.id, a.block FROM campaigns c CROSS JOIN arms a ON a.campaign = c.id CROSS JOIN "
        "inspections i ON i.id BETWEEN a.id * 4096 AND a.id * 4096 + 4095 WHERE c.name = ?");
    static_assert(rounds_a_block == 4096);
    cursor << campaign;
    while (cursor.next())
      slots.emplace(round_of(cursor.integer(1), cursor.integer(0)),
                    shared.arm(cursor.integer(0) / rounds_a_block).label);
    return slots;
  });
}

std::vector<Measurement> Store::measurements(const Filter& filter) const {
  Connection& connection = database_->connection;
  return connection.run([&] {
    // One snapshot for all statements, whatever writers do meanwhile.
    const SQLite::Transaction snapshot(connection.sqlite());
    SharedRows shared(connection);
    return all_measurements(connection, shared, filter);
  });
}

Excerpt Store::excerpt(const Filter& filter, const Sampling& sampling) const {
  Connection& connection = database_->connection;
  return connection.run([&] {
    const SQLite::Transaction snapshot(connection.sqlite());
    SharedRows shared(connection);
    const auto strata = strata_of(connection, matching_series(connection, shared, filter),
                                  filter.campaign.value_or(""), sampling.seed);
    if (filter.campaign || rows_of(strata) > sampling.most)
      return drawn(connection, shared, strata, sampling, filter.yardsticks, filter.host);
    Excerpt all;
    all.measurements = all_measurements(connection, shared, filter);
    all.inspections = all.measurements.size();
    return all;
  });
}

specs::Inspection Store::inspection(const Measurement& measurement) const {
  Connection& connection = database_->connection;
  return connection.run([&] {
    Cursor cursor = connection.prepare("SELECT " STACKX_INSPECTION_COLUMNS
                                       " FROM inspections WHERE id = ?");
    cursor << measurement.row;
    if (!cursor.next())
      throw Connection::damaged(
          connection.file(),
          fmt::format("inspection {}: its row is missing", measurement.inspection));
    SharedRows shared(connection);
    return read_inspection(connection, read_row(connection, cursor, shared));
  });
}

std::optional<specs::Inspection> Store::inspection(const std::string& id_or_prefix) const {
  Connection& connection = database_->connection;
  const auto range = range_of(id_or_prefix);
  if (!range) return std::nullopt;
  return connection.run([&]() -> std::optional<specs::Inspection> {
    const SQLite::Transaction snapshot(connection.sqlite());
    SharedRows shared(connection);
    std::optional<specs::Inspection> found;
    // Keys order as signed numbers; a range of ids is one of keys where both begin alike.
    Cursor cursor = connection.prepare("SELECT " STACKX_INSPECTION_COLUMNS
                                       " FROM inspections WHERE key BETWEEN ? AND ?");
    cursor << key_of(bytes_of(range->low)) << key_of(bytes_of(range->high));
    while (cursor.next()) {
      specs::Inspection one = read_inspection(connection, read_row(connection, cursor, shared));
      if (one.id < range->low || one.id > range->high) continue;
      if (found) ambiguous("inspection", id_or_prefix, found->id, one.id);
      found = std::move(one);
    }
    return found;
  });
}

std::set<std::string> Store::keys(const std::string& campaign) const {
  Connection& connection = database_->connection;
  return connection.run([&] {
    std::set<std::string> keys;
    Cursor cursor = connection.prepare(
        "SELECT i.key FROM campaigns c CROSS JOIN arms a ON a.campaign = c.id CROSS JOIN inspections i ON i.id "
        "BETWEEN a.id * 4096 AND a.id * 4096 + 4095 WHERE c.name BETWEEN ?1 AND ?2");
    cursor << campaign << (campaign.empty() ? campaign : campaign + "g");  // ids are hex digits
    while (cursor.next()) keys.insert(key_text(cursor.integer(0)));
    return keys;
  });
}

void Store::documents(const std::string& campaign,
                      const std::function<void(const std::string& document)>& visit) const {
  Connection& connection = database_->connection;
  // Only whole ids have plans; a campaign of documents from elsewhere may be called anything.
  if (specs::is_sha256(campaign))
    if (const auto found = plan(campaign)) visit(specs::canonical(specs::to_json(*found)));
  connection.run([&] {
    const SQLite::Transaction snapshot(connection.sqlite());
    SharedRows shared(connection);
    std::vector<std::tuple<std::uint64_t, std::uint64_t, std::int64_t, std::int64_t>> order;
    {
      Cursor cursor = connection.prepare(
          "SELECT a.block, i.id, i.position, i.key FROM campaigns c CROSS JOIN arms a ON a.campaign = "
          "c.id CROSS JOIN inspections i ON i.id BETWEEN a.id * 4096 AND a.id * 4096 + 4095 WHERE c.name "
          "= ?");
      cursor << campaign;
      while (cursor.next())
        order.emplace_back(campaign.empty() ? 0 : round_of(cursor.integer(0), cursor.integer(1)),
                           campaign.empty() ? 0 : static_cast<std::uint64_t>(cursor.integer(2)),
                           cursor.integer(3), cursor.integer(1));
    }
    {
      // Damage can hide rows without SQLite noticing.
      Cursor counted = connection.prepare("SELECT done FROM campaigns WHERE name = ?");
      counted << campaign;
      const std::int64_t done = counted.next() ? counted.integer(0) : 0;
      if (done != static_cast<std::int64_t>(order.size()))
        throw Connection::damaged(
            connection.file(), fmt::format("campaign {}: it counts {} inspections, {} can be found",
                                           campaign, done, order.size()));
    }
    std::ranges::sort(order);  // by round, position, id
    for (const auto& [round, position, key, id] : order) {
      Cursor cursor = connection.prepare("SELECT " STACKX_INSPECTION_COLUMNS
                                         " FROM inspections WHERE id = ?");
      cursor << id;
      if (!cursor.next())
        throw Connection::damaged(connection.file(),
                                  fmt::format("inspections: row {} cannot be found again", id));
      visit(document_of(connection, read_row(connection, cursor, shared)).document);
    }
  });
}

}  // namespace stackx::store
