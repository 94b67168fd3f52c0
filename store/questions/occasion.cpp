#include "store/questions/occasion.hpp"

#include "specs/format/clock.hpp"
#include "store/packing/packing.hpp"

namespace stackx::store {
namespace {

std::int64_t checksum_of(std::int64_t series, std::int64_t campaign, const Occasion& occasion) {
  const auto whole = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  return static_cast<std::int32_t>(Checksum()
                                       .add(whole(series))
                                       .add(whole(campaign))
                                       .add(whole(occasion.ok))
                                       .add(whole(occasion.inspections))
                                       .add(occasion.first)
                                       .value());
}

// A third of the text's bytes where it is written as stackx writes times.
std::optional<std::int64_t> milliseconds_of(const std::string& time) {
  std::int64_t milliseconds = 0;
  if (time.size() != 24 || !specs::parse_utc(time, milliseconds)) return std::nullopt;
  return milliseconds;
}

StoredOccasion occasion_in(const Cursor& cursor) {
  StoredOccasion row{cursor.integer(0), cursor.integer(1), cursor.text(2), {"", cursor.integer(4), cursor.integer(5)}};
  row.occasion.first = cursor.is_text(3) ? cursor.text(3) : specs::utc_text(cursor.integer(3), true);
  row.holds = checksum_of(row.series, row.campaign, row.occasion) == cursor.integer(6);
  return row;
}

#define STACKX_OCCASION_COLUMNS "o.series, o.campaign, c.name, o.first, o.ok, o.inspections, o.checksum"

std::int64_t campaign_row(Connection& connection, const std::string& name) {
  Cursor cursor = connection.prepare("SELECT id FROM campaigns WHERE name = ?");
  cursor << name;
  cursor.next();
  return cursor.integer(0);
}

void put(Connection& connection, std::int64_t series, std::int64_t campaign, const Occasion& occasion) {
  Cursor cursor = connection.prepare(
      "INSERT OR REPLACE INTO occasions(series, campaign, first, ok, inspections, checksum) VALUES(?, ?, ?, ?, ?, ?)");
  cursor << series << campaign;
  if (const auto milliseconds = milliseconds_of(occasion.first))
    cursor << *milliseconds;
  else
    cursor << occasion.first;
  cursor << occasion.ok << occasion.inspections << checksum_of(series, campaign, occasion);
  cursor.execute();
}

void remove(Connection& connection, std::int64_t series, std::int64_t campaign) {
  Cursor cursor = connection.prepare("DELETE FROM occasions WHERE series = ? AND campaign = ?");
  cursor << series << campaign;
  cursor.execute();
}

}  // namespace

std::vector<StoredOccasion> stored_occasions(Connection& connection, std::int64_t series) {
  std::vector<StoredOccasion> rows;
  Cursor cursor = connection.prepare("SELECT " STACKX_OCCASION_COLUMNS
                                     " FROM occasions o JOIN campaigns c ON c.id = o.campaign WHERE o.series = ?");
  cursor << series;
  while (cursor.next()) rows.push_back(occasion_in(cursor));
  return rows;
}

std::vector<StoredOccasion> stored_occasions(Connection& connection) {
  std::vector<StoredOccasion> rows;
  Cursor cursor = connection.prepare("SELECT " STACKX_OCCASION_COLUMNS
                                     " FROM occasions o JOIN campaigns c ON c.id = o.campaign WHERE o.series NOT IN "
                                     "(SELECT series FROM stale)");
  while (cursor.next()) rows.push_back(occasion_in(cursor));
  return rows;
}

void write_occasions(Connection& connection, std::int64_t series, const Occasions& occasions) {
  Occasions missing = occasions;
  for (const StoredOccasion& stored : stored_occasions(connection, series)) {
    const auto wanted = missing.find(stored.name);
    if (wanted == missing.end()) {
      remove(connection, series, stored.campaign);
      continue;
    }
    if (!stored.holds || wanted->second != stored.occasion) put(connection, series, stored.campaign, wanted->second);
    missing.erase(wanted);
  }
  for (const auto& [name, occasion] : missing) put(connection, series, campaign_row(connection, name), occasion);
}

}  // namespace stackx::store
