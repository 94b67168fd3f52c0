#include "store/published.hpp"

#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/format/seal.hpp"
#include "specs/hardware/name.hpp"
#include "store/database.hpp"
#include "store/packing/text_map.hpp"

namespace stackx::store {
namespace {

using nlohmann::json;

constexpr const char* columns_by_workload =
    "SELECT id, key, source, hardware, devices, workload, stack, metric, value, statistic, runs, "
    "min, max, stdev, details, more FROM published WHERE workload = ?";
constexpr const char* columns_by_id =
    "SELECT id, key, source, hardware, devices, workload, stack, metric, value, statistic, runs, "
    "min, max, stdev, details, more FROM published WHERE id = ?";

std::string source_document(const specs::Source& source) {
  return specs::canonical(specs::to_json(source));
}

// What has no column of its own.
std::string more_of(const specs::Published& published) {
  return published.values.empty() ? "" : json{{"values", published.values}}.dump();
}

template <typename Number>
void put(Cursor& cursor, const std::optional<Number>& value) {
  if (!value)
    cursor << nullptr;
  else if constexpr (std::is_integral_v<Number>)
    cursor << static_cast<std::int64_t>(*value);
  else
    cursor << *value;
}

std::optional<double> optional_real(const Cursor& cursor, int column) {
  return cursor.is_null(column) ? std::nullopt : std::optional(cursor.real(column));
}

std::optional<std::uint64_t> optional_count(const Cursor& cursor, int column) {
  if (cursor.is_null(column)) return std::nullopt;
  return static_cast<std::uint64_t>(cursor.integer(column));
}

// Rows that published results share beside those of SharedRows, read once.
class Reading {
 public:
  using Unsealed = std::function<bool(const std::string& hardware)>;
  Reading(Connection& connection, SharedRows& shared, Unsealed unsealed = {})
      : connection_(connection), shared_(shared), unsealed_(std::move(unsealed)) {}

  // The row that `cursor` stands on, in the order of `columns_*`.
  specs::Published row(const Cursor& cursor) {
    specs::Published p;
    p.source = source(cursor.integer(2));
    p.hardware = hardware(cursor.integer(3));
    p.devices = optional_count(cursor, 4);
    p.workload = shared_.workload(cursor.integer(5)).workload;
    p.stack = shared_.stack(cursor.integer(6)).stack;
    p.metric = cursor.text(7);
    p.value = cursor.real(8);
    p.statistic = cursor.text(9);
    p.runs = optional_count(cursor, 10);
    p.min = optional_real(cursor, 11);
    p.max = optional_real(cursor, 12);
    p.stdev = optional_real(cursor, 13);
    if (!cursor.is_null(14)) p.details = details(cursor.integer(14));
    if (const std::string more = cursor.text(15); !more.empty())
      p.values = json::parse(more).at("values").get<std::vector<double>>();
    if (!unsealed_ || !unsealed_(p.hardware)) verify(p, cursor.integer(0), cursor.integer(1));
    return p;
  }

  const specs::Source& source(std::int64_t row) {
    if (const auto known = sources_.find(row); known != sources_.end()) return known->second;
    Cursor cursor = connection_.prepare(
        "SELECT hash, url, title, revision, date, read, license, tool FROM sources WHERE id = ?");
    cursor << row;
    if (!cursor.next()) damaged("sources", row);
    specs::Source source{cursor.text(1), cursor.text(2), cursor.text(3), cursor.text(4),
                         cursor.text(5), cursor.text(6), cursor.text(7)};
    if (specs::sha256(source_document(source)) != hex_of(cursor.text(0))) damaged("sources", row);
    return sources_.emplace(row, std::move(source)).first->second;
  }

 private:
  void verify(specs::Published& p, std::int64_t row, std::int64_t key) {
    try {
      specs::seal(p);
    } catch (const Error& error) {  // a text that is not UTF-8
      throw Connection::damaged(connection_.file(),
                                fmt::format("published: row {}: {}", row, error.what()));
    }
    if (key_of(bytes_of(p.id)) != key) damaged("published", row);
  }

  [[noreturn]] void damaged(const char* table, std::int64_t row) {
    throw Connection::damaged(connection_.file(),
                              fmt::format("{}: row {} is missing or changed", table, row));
  }

  const std::string& hardware(std::int64_t row) {
    if (const auto known = hardware_.find(row); known != hardware_.end()) return known->second;
    Cursor cursor = connection_.prepare("SELECT model FROM hardware WHERE id = ?");
    cursor << row;
    if (!cursor.next()) damaged("hardware", row);
    return hardware_.emplace(row, cursor.text(0)).first->second;
  }

  const std::map<std::string, std::string>& details(std::int64_t row) {
    if (const auto known = details_.find(row); known != details_.end()) return known->second;
    Cursor cursor = connection_.prepare("SELECT document FROM contexts WHERE id = ?");
    cursor << row;
    if (!cursor.next()) damaged("contexts", row);
    auto details = read_text_map(cursor.text(0));
    return details_.emplace(row, std::move(details)).first->second;
  }

  Connection& connection_;
  SharedRows& shared_;
  Unsealed unsealed_;
  std::unordered_map<std::int64_t, specs::Source> sources_;
  std::unordered_map<std::int64_t, std::string> hardware_;
  std::unordered_map<std::int64_t, std::map<std::string, std::string>> details_;
};

std::unordered_set<std::int64_t> matching_hardware(Connection& connection,
                                                   const PublishedFilter& filter) {
  std::unordered_set<std::int64_t> rows;
  Cursor cursor = connection.prepare("SELECT id, model FROM hardware");
  const auto named = filter.hardware ? std::optional(specs::WantedHardware(*filter.hardware)) : std::nullopt;
  while (cursor.next()) {
    const std::string name = cursor.text(1);
    if ((!named || named->is_named_by(name)) && (!filter.on || filter.on(name))) rows.insert(cursor.integer(0));
  }
  return rows;
}

// Of which there is a result, on one of `hardware` if that is given.
std::vector<std::int64_t> matching_workloads(Connection& connection, SharedRows& shared,
                                             const std::optional<specs::Workload>& wanted,
                                             const std::optional<std::unordered_set<std::int64_t>>& hardware) {
  std::vector<std::int64_t> rows;
  {
    Cursor cursor = connection.prepare(
        hardware ? "SELECT id FROM workloads w WHERE (?1 = '' OR pi = ?1) AND EXISTS (SELECT 1 FROM published "
                   "WHERE workload = w.id AND hardware IN (SELECT value FROM json_each(?2)))"
                 : "SELECT id FROM workloads w WHERE (?1 = '' OR pi = ?1) AND EXISTS (SELECT 1 FROM published "
                   "WHERE workload = w.id)");
    cursor << (wanted ? wanted->pi : std::string());
    if (hardware) cursor << json(*hardware).dump();
    while (cursor.next()) rows.push_back(cursor.integer(0));
  }
  std::erase_if(rows, [&](std::int64_t row) {
    return wanted && !wanted->matches(shared.workload(row).workload);
  });
  return rows;
}

void verify_id(const specs::Published& published) {
  const std::string id = specs::content_id(specs::to_json(published));
  if (id != published.id)
    throw bad_input(fmt::format(
        "published result {}: the id does not match the content, whose id is {}; it is not stored",
        published.id.empty() ? "(without id)" : published.id, id));
}

// Stores of before 2026-11-23 took a source's families in as one file, called as the source.
bool has_edition(Connection& connection, const Seed& seed) {
  Cursor cursor = connection.prepare("SELECT 1 FROM seeds WHERE name IN (?, ?)");
  cursor << seed.name() << seed.source;
  return cursor.next();
}

}  // namespace

PublishedWriter::PublishedWriter(Connection& connection, Writer& writer, bool seed)
    : connection_(connection), writer_(writer), seed_(seed) {}

std::int64_t PublishedWriter::source(const specs::Source& source) {
  if (last_source_ && last_source_->first == source) return last_source_->second;
  const Blob hash{bytes_of(specs::sha256(source_document(source)))};
  std::optional<std::int64_t> row;
  {
    Cursor cursor = connection_.prepare("SELECT id FROM sources WHERE hash = ?");
    cursor << hash;
    if (cursor.next()) row = cursor.integer(0);
  }
  if (!row) {
    Cursor cursor = connection_.prepare(
        "INSERT INTO sources(hash, url, title, revision, date, read, license, tool, seed) "
        "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
    cursor << hash << source.url << source.title << source.revision << source.date << source.read
           << source.license << source.tool << static_cast<int>(seed_);
    cursor.execute();
    row = connection_.sqlite().getLastInsertRowid();
  } else if (seed_) {
    Cursor cursor = connection_.prepare("UPDATE sources SET seed = 1 WHERE id = ? AND seed = 0");
    cursor << *row;
    cursor.execute();
  }
  last_source_.emplace(source, *row);
  return *row;
}

std::int64_t PublishedWriter::details(const std::map<std::string, std::string>& details) {
  if (last_details_ && last_details_->first == details) return last_details_->second;
  const std::string document = specs::canonical(json(details));
  const Blob hash{bytes_of(specs::sha256(document))};
  std::optional<std::int64_t> row;
  {
    Cursor cursor = connection_.prepare("SELECT id FROM contexts WHERE hash = ?");
    cursor << hash;
    if (cursor.next()) row = cursor.integer(0);
  }
  if (!row) {
    Cursor cursor = connection_.prepare("INSERT INTO contexts(hash, document) VALUES(?, ?)");
    cursor << hash << document;
    cursor.execute();
    row = connection_.sqlite().getLastInsertRowid();
  }
  last_details_.emplace(details, *row);
  return *row;
}

Ingest PublishedWriter::insert(const specs::Published& p) {
  const std::int64_t source_row = source(p.source);
  if (!last_stack_ || last_stack_->first != p.stack)
    last_stack_.emplace(p.stack, writer_.stack(p.stack, p.stack.id()));
  const std::int64_t hardware = writer_.hardware(p.hardware, ""),
                     workload = writer_.workload(p.workload, p.workload.id());
  std::optional<std::int64_t> details_row;
  if (!p.details.empty()) details_row = details(p.details);
  Cursor cursor = connection_.prepare(
      "INSERT OR IGNORE INTO published(key, source, hardware, devices, workload, stack, metric, "
      "value, statistic, runs, min, max, stdev, details, more) "
      "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  cursor << key_of(bytes_of(p.id)) << source_row << hardware;
  put(cursor, p.devices);
  cursor << workload << last_stack_->second << p.metric << p.value << p.statistic;
  put(cursor, p.runs);
  put(cursor, p.min);
  put(cursor, p.max);
  put(cursor, p.stdev);
  put(cursor, details_row);
  cursor << more_of(p);
  cursor.execute();
  return connection_.sqlite().getChanges() == 0 ? Ingest::already_there : Ingest::inserted;
}

void PublishedWriter::remove_others(const Seed& seed, const std::unordered_set<std::int64_t>& kept) {
  const std::string tool = "evidence:" + seed.source;
  std::vector<std::int64_t> gone;
  {
    Cursor cursor = connection_.prepare(
        "SELECT p.key FROM sources s JOIN published p ON p.source = s.id JOIN workloads w ON w.id = "
        "p.workload WHERE s.tool = ? AND w.pi = ?");
    cursor << tool << seed.family;
    while (cursor.next())
      if (!kept.contains(cursor.integer(0))) gone.push_back(cursor.integer(0));
  }
  for (const std::int64_t key : gone) {
    Cursor cursor = connection_.prepare("DELETE FROM published WHERE key = ?");
    cursor << key;
    cursor.execute();
  }
  Cursor cursor = connection_.prepare(
      "DELETE FROM sources WHERE tool = ? AND NOT EXISTS (SELECT 1 FROM published WHERE source = "
      "sources.id)");
  cursor << tool;
  cursor.execute();
}

void visit_published(Connection& connection, SharedRows& shared, const PublishedFilter& filter,
                     const std::function<void(specs::Published&&)>& visit) {
  Reading reading(connection, shared, filter.unsealed);
  std::optional<std::unordered_set<std::int64_t>> hardware;
  if (filter.hardware || filter.on) hardware = matching_hardware(connection, filter);
  if (hardware && hardware->empty()) return;
  for (const std::int64_t workload : matching_workloads(connection, shared, filter.workload, hardware)) {
    Cursor cursor = connection.prepare(columns_by_workload);
    cursor << workload;
    while (cursor.next())
      if (!hardware || hardware->contains(cursor.integer(3))) visit(reading.row(cursor));
  }
}

specs::Published published_at(Connection& connection, SharedRows& shared, std::int64_t row) {
  Cursor cursor = connection.prepare(columns_by_id);
  cursor << row;
  if (!cursor.next())
    throw Connection::damaged(connection.file(), fmt::format("published: row {} is missing", row));
  return Reading(connection, shared).row(cursor);
}

std::vector<std::string> damaged_published(Connection& connection, SharedRows& shared) {
  std::vector<std::string> problems;
  const auto ids_of = [&](const char* sql) {
    std::vector<std::int64_t> ids;
    Cursor cursor = connection.prepare(sql);
    while (cursor.next()) ids.push_back(cursor.integer(0));
    return ids;
  };
  Reading reading(connection, shared);
  const auto note = [&](auto work) {
    try {
      connection.run(work);
    } catch (const Error& error) {
      problems.push_back(error.what());
    }
  };
  for (const std::int64_t id : ids_of("SELECT id FROM sources"))
    note([&] { (void)reading.source(id); });
  for (const std::int64_t id : ids_of("SELECT id FROM published"))
    note([&] {
      Cursor cursor = connection.prepare(columns_by_id);
      cursor << id;
      if (cursor.next()) (void)reading.row(cursor);
    });
  return problems;
}

Ingest Store::ingest(const specs::Published& published) {
  Connection& connection = database_->connection;
  connection.require_writable();
  verify_id(published);
  return connection.run([&] {
    Writer::Transaction transaction(database_->writer);
    const Ingest result =
        PublishedWriter(connection, database_->writer, false).insert(published);
    transaction.commit();
    return result;
  });
}

std::vector<specs::Published> Store::published(const PublishedFilter& filter) const {
  Connection& connection = database_->connection;
  return connection.run([&] {
    const SQLite::Transaction snapshot(connection.sqlite());
    SharedRows shared(connection);
    std::vector<specs::Published> result;
    visit_published(connection, shared, filter,
                    [&](specs::Published&& p) { result.push_back(std::move(p)); });
    std::ranges::sort(result, {}, &specs::Published::id);
    return result;
  });
}

std::vector<SourceRow> Store::sources() const {
  Connection& connection = database_->connection;
  return connection.run([&] {
    const SQLite::Transaction snapshot(connection.sqlite());
    SharedRows shared(connection);
    Reading reading(connection, shared);
    std::vector<SourceRow> result;
    Cursor cursor = connection.prepare(
        "SELECT s.id, s.seed, (SELECT count(*) FROM published p WHERE p.source = s.id) "
        "FROM sources s");
    while (cursor.next())
      result.push_back({reading.source(cursor.integer(0)),
                        static_cast<std::uint64_t>(cursor.integer(2)), cursor.integer(1) != 0});
    std::ranges::sort(result, {}, &SourceRow::source);
    return result;
  });
}

bool Store::has_seed(const Seed& seed) const {
  Connection& connection = database_->connection;
  return connection.run([&] {
    Cursor cursor = connection.prepare("SELECT 1 FROM seeds WHERE name = ? AND bytes = ?");
    cursor << seed.name() << static_cast<std::int64_t>(seed.bytes);
    return cursor.next();
  });
}

std::size_t Store::take_in_seed(const Seed& seed,
                                const std::function<std::vector<specs::Published>()>& next) {
  Connection& connection = database_->connection;
  connection.require_writable();
  return connection.run([&] {
    Writer::Transaction transaction(database_->writer);
    PublishedWriter writer(connection, database_->writer, true);
    const bool older = has_edition(connection, seed);
    std::unordered_set<std::int64_t> kept;
    std::size_t inserted = 0;
    for (auto rows = next(); !rows.empty(); rows = next())
      for (const specs::Published& row : rows) {
        inserted += writer.insert(row) == Ingest::inserted;
        if (older) kept.insert(key_of(bytes_of(row.id)));
      }
    if (older) writer.remove_others(seed, kept);
    Cursor cursor = connection.prepare("INSERT OR REPLACE INTO seeds(name, bytes) VALUES(?, ?)");
    cursor << seed.name() << static_cast<std::int64_t>(seed.bytes);
    cursor.execute();
    transaction.commit();
    return inserted;
  });
}

}  // namespace stackx::store
