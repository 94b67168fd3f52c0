// Reading: every value is verified against a hash or a checksum before it leaves the store.
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "specs/json.hpp"
#include "store/database.hpp"

namespace stackx::store {
namespace {

// "Tesla V100-SXM2-16GB" -> "-tesla-v100-sxm2-16gb-": names compare by whole words.
std::string words(std::string_view name) {
  std::string result = "-";
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '.')
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (result.back() != '-')
      result += '-';
  }
  return result.back() == '-' ? result : result + '-';
}

bool is_hardware(const Connection& connection, const SharedRows::HostRow& row,
                 const std::string& wanted) {
  const specs::Host host =
      specs::host_from(specs::Node::parse_text(row.document, connection.file().string()));
  std::vector<std::string> names{host.cpu.microarchitecture, host.cpu.model};
  for (const specs::Gpu& gpu : host.gpus) names.push_back(gpu.model);
  const std::string key = words(wanted);
  return std::ranges::any_of(names,
                             [&](const std::string& name) { return words(name).contains(key); });
}

std::vector<std::int64_t> rows_of(Connection& connection, const char* sql) {
  std::vector<std::int64_t> rows;
  Cursor cursor = connection.prepare(sql);
  while (cursor.next()) rows.push_back(cursor.integer(0));
  return rows;
}

std::vector<std::int64_t> matching_workloads(Connection& connection, SharedRows& shared,
                                             const Filter& filter) {
  std::vector<std::int64_t> rows = rows_of(connection, "SELECT id FROM workloads");
  std::erase_if(rows, [&](std::int64_t row) {
    return filter.workload && !filter.workload->matches(shared.workload(row).workload);
  });
  return rows;
}

std::set<std::int64_t> matching_hosts(Connection& connection, SharedRows& shared,
                                      const Filter& filter) {
  std::set<std::int64_t> matching;
  for (const std::int64_t row : rows_of(connection, "SELECT id FROM hosts")) {
    const SharedRows::HostRow& host = shared.host(row);
    if (filter.host && host.fingerprint != *filter.host) continue;
    if (filter.hardware && !is_hardware(connection, host, *filter.hardware)) continue;
    matching.insert(row);
  }
  return matching;
}

Measurement measurement(Row row) {
  specs::Inspection& c = row.columns;
  Measurement m;
  m.inspection = std::move(c.id);
  m.campaign = std::move(c.campaign);
  m.arm = std::move(c.arm);
  m.round = c.round;
  m.position = c.position;
  m.sentinel = c.sentinel;
  m.stack = std::move(c.stack);
  m.workload = std::move(c.workload);
  m.host = row.host->fingerprint;
  m.hostname = row.host->hostname;
  m.microarchitecture = row.host->microarchitecture;
  m.cpu_model = row.host->cpu_model;
  m.device = std::move(c.device);
  m.outcome = c.outcome;
  m.reason = std::move(c.reason);
  m.finished = std::move(c.finished);
  m.samples_ns = std::move(c.samples_ns);
  m.work = c.work;
  return m;
}

struct PrefixRange {
  std::string low, high;
};

PrefixRange range_of(const std::string& prefix) {
  if (prefix.empty() || prefix.size() > 64 ||
      prefix.find_first_not_of("0123456789abcdef") != std::string::npos)
    throw bad_input(
        fmt::format("\"{}\" is no id: expected up to 64 lower-case hex digits", prefix));
  return {prefix + std::string(64 - prefix.size(), '0'),
          prefix + std::string(64 - prefix.size(), 'f')};
}

[[noreturn]] void ambiguous(const char* what, const std::string& prefix, const std::string& a,
                            const std::string& b) {
  throw bad_input(fmt::format("{} \"{}\" is ambiguous: {} and {} begin so; give more digits", what,
                              prefix, a, b));
}

}  // namespace

std::optional<specs::Plan> Store::plan(const std::string& id_or_prefix) const {
  Connection& connection = database_->connection;
  const PrefixRange range = range_of(id_or_prefix);
  return connection.run([&]() -> std::optional<specs::Plan> {
    Cursor cursor = connection.prepare(
        "SELECT name, plan FROM campaigns WHERE plan IS NOT NULL AND name BETWEEN ? AND ? ORDER BY "
        "name");
    cursor << range.low << range.high;
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
        "SELECT c.name, c.project, c.created, c.planned, count(i.id), count(i.id) FILTER (WHERE "
        "i.outcome <> 'ok') "
        "FROM campaigns c LEFT JOIN inspections i ON i.campaign = c.id GROUP BY c.id ORDER BY "
        "c.created DESC, c.name");
    while (cursor.next())
      rows.push_back({cursor.text(0), cursor.text(1), cursor.text(2),
                      static_cast<std::uint64_t>(cursor.integer(3)),
                      static_cast<std::uint64_t>(cursor.integer(4)),
                      static_cast<std::uint64_t>(cursor.integer(5))});
    return rows;
  });
}

std::set<std::pair<std::uint64_t, std::string>> Store::done(const std::string& campaign) const {
  Connection& connection = database_->connection;
  return connection.run([&] {
    std::set<std::pair<std::uint64_t, std::string>> slots;
    Cursor cursor = connection.prepare(
        "SELECT i.round, i.arm FROM inspections i JOIN campaigns c ON c.id = i.campaign WHERE "
        "c.name = ?");
    cursor << campaign;
    while (cursor.next())
      slots.emplace(static_cast<std::uint64_t>(cursor.integer(0)), cursor.text(1));
    return slots;
  });
}

std::vector<Measurement> Store::measurements(const Filter& filter) const {
  Connection& connection = database_->connection;
  return connection.run([&] {
    std::vector<Measurement> result;
    // One snapshot for all statements below, whatever writers do meanwhile.
    const SQLite::Transaction snapshot(connection.sqlite());
    SharedRows shared(connection);
    const std::set<std::int64_t> hosts = matching_hosts(connection, shared, filter);
    for (const std::int64_t workload : matching_workloads(connection, shared, filter)) {
      Cursor cursor = connection.prepare("SELECT " STACKX_INSPECTION_COLUMNS
                                         " FROM inspections WHERE workload = ?");
      cursor << workload;
      while (cursor.next()) {
        Row row = read_row(connection, cursor, shared);
        if (!hosts.contains(cursor.integer(8))) continue;
        if (filter.campaign && !row.columns.campaign.starts_with(*filter.campaign)) continue;
        result.push_back(measurement(std::move(row)));
      }
    }
    std::ranges::sort(result, {}, [](const Measurement& m) {
      return std::tie(m.campaign, m.round, m.position, m.inspection);
    });
    return result;
  });
}

std::optional<specs::Inspection> Store::inspection(const std::string& id_or_prefix) const {
  Connection& connection = database_->connection;
  const PrefixRange range = range_of(id_or_prefix);
  return connection.run([&]() -> std::optional<specs::Inspection> {
    const SQLite::Transaction snapshot(connection.sqlite());
    std::string hash;
    {
      Cursor cursor =
          connection.prepare("SELECT hash FROM inspections WHERE hash BETWEEN ? AND ? LIMIT 2");
      cursor << Blob{bytes_of(range.low)} << Blob{bytes_of(range.high)};
      if (!cursor.next()) return std::nullopt;
      hash = cursor.text(0);
      if (cursor.next())
        ambiguous("inspection", id_or_prefix, hex_of(hash), hex_of(cursor.text(0)));
    }
    return read_document(connection, hash);
  });
}

std::vector<std::string> Store::inspection_ids(const std::string& campaign) const {
  Connection& connection = database_->connection;
  return connection.run([&] {
    std::vector<std::string> ids;
    Cursor cursor = connection.prepare(
        "SELECT i.hash FROM inspections i LEFT JOIN campaigns c ON c.id = i.campaign WHERE "
        "coalesce(c.name, '') = ? "
        "ORDER BY i.round, i.position, i.hash");
    cursor << campaign;
    while (cursor.next()) ids.push_back(hex_of(cursor.text(0)));
    return ids;
  });
}

}  // namespace stackx::store
